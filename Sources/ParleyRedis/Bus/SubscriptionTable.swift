/// Which channels a connection is subscribed to, and who waits for that, as a value.
///
/// Redis answers each SUBSCRIBE once for every channel, in order; so the answers that a channel still owes are counted,
/// and a channel that is given up and wanted again is live only with the last of them.
package struct SubscriptionTable: Sendable {
    /// A caller's subscribe.
    package typealias Request = Int

    private struct Channel {
        var isWanted = true
        /// It was acknowledged since it is wanted: after a cut it is subscribed again.
        var isLive = false
        /// For each SUBSCRIBE without an answer, who waits for it.
        var unanswered: [[Request]] = []
    }

    private var channels: [String: Channel] = [:]
    /// Channels that each request waits for.
    private var missing: [Request: Int] = [:]
    /// Channels not yet back after a cut.
    private var returning: Set<String> = []

    package init() {}

    package var count: Int { channels.count }

    package func isWanted(_ channel: String) -> Bool {
        channels[channel]?.isWanted ?? false
    }

    /// A caller wants channels.
    /// - Returns: those to be sent to Redis, and whether there is nothing to wait for.
    package mutating func subscribe(to names: [String], as request: Request) -> (toSend: [String], isDone: Bool) {
        var toSend: [String] = []
        var count = 0
        for name in names {
            if let channel = channels[name], channel.isWanted {
                // One that was live before a cut is so again only once Redis has said it again.
                guard !channel.isLive || returning.contains(name), !channel.unanswered.isEmpty else { continue }
                channels[name]?.unanswered[channel.unanswered.count - 1].append(request)
            } else {
                channels[name, default: Channel()].isWanted = true
                channels[name]?.unanswered.append([request])
                toSend.append(name)
            }
            count += 1
        }
        if count > 0 { missing[request] = count }
        return (toSend, count == 0)
    }

    /// A caller wants channels no more.
    /// - Returns: those to be sent to Redis, and the requests that waited for them and are through.
    package mutating func unsubscribe(from names: [String]) -> (toSend: [String], done: [Request], isBack: Bool) {
        var toSend: [String] = []
        let wasReturning = !returning.isEmpty
        for name in names where isWanted(name) {
            toSend.append(name)
            returning.remove(name)
            if channels[name]?.unanswered.isEmpty == true {
                channels[name] = nil
            } else {
                channels[name]?.isWanted = false
                channels[name]?.isLive = false
            }
        }
        return (toSend, [], wasReturning && returning.isEmpty)
    }

    /// Redis has answered a SUBSCRIBE for a channel.
    /// - Returns: the requests that have all they wanted, and whether with it all is back after a cut.
    package mutating func acknowledged(_ name: String) -> (done: [Request], isBack: Bool) {
        guard let channel = channels[name], !channel.unanswered.isEmpty else { return ([], false) }
        let waiting = channel.unanswered[0]
        if channel.unanswered.count > 1 {
            channels[name]?.unanswered.removeFirst()
        } else {
            // Not emptied but replaced: there is a channel for each user who is here, and an empty array keeps its memory.
            channels[name]?.unanswered = []
            if channel.isWanted { channels[name]?.isLive = true } else { channels[name] = nil }
        }
        let isBack = returning.remove(name) != nil && returning.isEmpty
        return (waiting.filter { has($0) }, isBack)
    }

    /// A channel that `request` waits for is there; whether it was the last.
    private mutating func has(_ request: Request) -> Bool {
        guard let count = missing[request] else { return false }
        missing[request] = count > 1 ? count - 1 : nil
        return count == 1
    }

    /// The connection is lost: what was never live is given up.
    /// - Returns: the requests that have failed, and the channels given up.
    package mutating func lost() -> (failed: [Request], gone: [String]) {
        let gone = channels.filter { !$0.value.isLive }.map(\.key)
        for name in gone { channels[name] = nil }
        for name in channels.keys { channels[name]?.unanswered = [] }
        returning = []
        defer { missing = [:] }
        return (Array(missing.keys), gone)
    }

    /// The connection is back.
    /// - Returns: the channels to subscribe to again.
    package mutating func cameBack() -> [String] {
        returning = Set(channels.keys)
        for name in channels.keys { channels[name]?.unanswered.append([]) }
        return Array(channels.keys)
    }
}
