import ParleyModel

/// Where the live events of a thread begin for somebody who reads what came before elsewhere.
extension HubCore {
    /// Says up to where threads have been delivered, at its place among the deliveries to a loop.
    /// - Parameter answer: gets those that have events, on that loop; `nil` if it is not known of all.
    func tellEnds(
        of threads: [ThreadID], to loop: Int, mayRead: Bool = true,
        _ reply: @escaping @Sendable ([ThreadID: Position]?) -> Void
    ) {
        var ends: [ThreadID: Position] = [:]
        var unknown: [ThreadID] = []
        for thread in threads {
            if let topic = topics[.thread(thread)], topic.gate.isPlaced {
                if let end = topic.gate.delivered { ends[thread] = end }
            } else {
                unknown.append(thread)
            }
        }
        if unknown.isEmpty {
            let known = ends
            return send(.reply { reply(known) }, to: loop)
        }
        let (fanOut, log, missing) = (fanOut, log, unknown)
        // The log was away when the topic became live.
        let isTaken =
            mayRead
            && fanOut.work.submit {
                let heads = await log.heads(of: missing)
                fanOut.onHub { hub in
                    for thread in missing {
                        if let head = heads[thread] { hub.topics[.thread(thread)]?.gate.begin(behind: head?.position) }
                    }
                    hub.tellEnds(of: threads, to: loop, mayRead: false, reply)
                }
            }
        if !isTaken { send(.reply { reply(nil) }, to: loop) }
    }
}
