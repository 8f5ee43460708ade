/// Compares what clients sent and saw with what the store has, after a load has come to rest.
///
/// The guarantees of the classic dialect: in a session each message of a thread arrives exactly once and in order, with
/// none missing; what anybody saw is stored; what was sent on a socket that was not broken is stored once, and what was
/// sent on one that broke, once or never.
struct Checker {
    /// What is in the store: messages by thread, in rising order.
    let stored: [Int: [Sighting]]
    let journals: [Journal]
    /// Redis lost its memory: what was seen and not yet stored may be gone, and with it the end of an epoch.
    var mayLoseUnstored = false

    /// The first few things that are wrong, in words; empty if all is right.
    func violations(limit: Int = 20) -> [String] {
        var found: [String] = []
        checkStore(&found)
        let places = stored.mapValues { messages in
            Dictionary(messages.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        }
        for (client, journal) in journals.enumerated() {
            for (index, session) in journal.sessions.enumerated() {
                let isFirst = index == 0 && journal.wasThereFirst
                let isLast = index == journal.sessions.count - 1 && !session.isBroken
                check(session, of: client, journal.threads, places, isFirst: isFirst, isLast: isLast, &found)
                if found.count > limit { return found }
            }
        }
        checkSends(&found)
        return Array(found.prefix(limit))
    }

    private func checkStore(_ found: inout [String]) {
        var texts: [String: Sighting] = [:]
        for (thread, messages) in stored {
            for (earlier, later) in zip(messages, messages.dropFirst()) where later.seq <= earlier.seq {
                found.append("thread \(thread): seq \(later.seq) is stored after \(earlier.seq)")
            }
            for message in messages {
                if let other = texts.updateValue(message, forKey: message.text) {
                    found.append("\(message.text) is stored twice: \(other), \(message)")
                }
            }
        }
    }

    private func check(
        _ session: Journal.Session, of client: Int, _ threads: Set<Int>, _ places: [Int: [Sighting: Int]],
        isFirst: Bool, isLast: Bool, _ found: inout [String]
    ) {
        var next: [Int: Int] = [:]
        if isFirst { for thread in threads { next[thread] = 0 } }
        for message in session.seen {
            guard let place = places[message.thread]?[message] else {
                if !mayLoseUnstored { found.append("client \(client) saw what is not stored: \(message)") }
                continue
            }
            if let expected = next[message.thread], place != expected, !mayLoseUnstored || place < expected {
                let what = place < expected ? "again or late" : "too early: \(place - expected) are missing before it"
                found.append("client \(client) saw \(message) \(what)")
            }
            next[message.thread] = place + 1
        }
        guard isLast else { return }
        for thread in threads {
            let all = stored[thread, default: []].count
            // Who came late and saw nothing since is right if nothing came since.
            if let reached = next[thread], reached < all {
                found.append("client \(client) did not see the last \(all - reached) of thread \(thread)")
            }
        }
    }

    private func checkSends(_ found: inout [String]) {
        let texts = Set(stored.values.joined().lazy.map(\.text))
        for (client, journal) in journals.enumerated() {
            for session in journal.sessions where !session.isBroken && !mayLoseUnstored {
                for text in session.sent where !texts.contains(text) {
                    found.append("client \(client) sent \(text), which is not stored")
                }
            }
        }
    }
}
