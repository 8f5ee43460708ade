/// The subscribed channels of a connection and the requests that wait for them, as a value.
///
/// Redis acknowledges each SUBSCRIBE once per channel, in order. The table counts the acknowledgements that a channel
/// still expects, so a channel that is unsubscribed and subscribed again becomes live only with the last one.
package struct SubscriptionTable: Sendable {
    /// Identifies a caller's subscribe.
    package typealias Request = Int

    private struct Channel {
        var isWanted = true
        /// Acknowledged since it was last requested.
        var isLive = false
        /// For each unacknowledged SUBSCRIBE, the requests that wait for it.
        var unanswered: [[Request]] = []
    }

    private var channels: [String: Channel] = [:]
    /// The number of channels that each request waits for.
    private var missing: [Request: Int] = [:]
    /// The channels not yet acknowledged after a reconnect.
    private var returning: Set<String> = []

    package init() {}

    /// Whether a caller is subscribed to a channel, acknowledged or not.
    package func isWanted(_ channel: String) -> Bool {
        channels[channel]?.isWanted ?? false
    }

    /// Adds channels for a caller.
    /// - Returns: the channels to subscribe to in Redis, and whether the request is complete.
    package mutating func subscribe(to names: [String], as request: Request) -> (toSend: [String], isDone: Bool) {
        var toSend: [String] = []
        var count = 0
        for name in names {
            if let channel = channels[name], channel.isWanted {
                // After a reconnect, a channel is live only once Redis has acknowledged it again.
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

    /// Adds channels while the connection is lost; `resubscribed` returns them.
    package mutating func subscribeLater(to names: [String]) {
        for name in names { channels[name, default: Channel()].isWanted = true }
    }

    /// Removes channels that no caller needs any longer.
    /// - Returns: the channels to unsubscribe from in Redis, and whether the last channel awaited after a reconnect is
    ///   gone.
    package mutating func unsubscribe(from names: [String]) -> (toSend: [String], isBack: Bool) {
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
        return (toSend, wasReturning && returning.isEmpty)
    }

    /// Records an acknowledgement of SUBSCRIBE.
    /// - Returns: the requests that are now complete, and whether all channels are restored after a reconnect.
    package mutating func acknowledged(_ name: String) -> (done: [Request], isBack: Bool) {
        guard let channel = channels[name], !channel.unanswered.isEmpty else { return ([], false) }
        let waiting = channel.unanswered[0]
        if channel.unanswered.count > 1 {
            channels[name]?.unanswered.removeFirst()
        } else {
            // Replaced rather than emptied: there is a channel for each connected user, and an emptied array keeps its
            // memory.
            channels[name]?.unanswered = []
            if channel.isWanted { channels[name]?.isLive = true } else { channels[name] = nil }
        }
        let isBack = returning.remove(name) != nil && returning.isEmpty
        return (waiting.filter { has($0) }, isBack)
    }

    /// Counts down the channels that `request` waits for; returns whether this was the last one.
    private mutating func has(_ request: Request) -> Bool {
        guard let count = missing[request] else { return false }
        missing[request] = count > 1 ? count - 1 : nil
        return count == 1
    }

    /// Records that the connection was lost. Channels that a caller wants are kept, acknowledged or not; the others are
    /// dropped.
    /// - Returns: the requests that were not complete; their channels are subscribed with the next connection.
    package mutating func lost() -> [Request] {
        channels = channels.filter(\.value.isWanted)
        for name in channels.keys { channels[name]?.unanswered = [] }
        returning = []
        defer { missing = [:] }
        return Array(missing.keys)
    }

    /// Records that the connection was restored.
    /// - Returns: the channels to subscribe to again.
    package mutating func resubscribed() -> [String] {
        returning = Set(channels.keys)
        for name in channels.keys { channels[name]?.unanswered.append([]) }
        return Array(channels.keys)
    }
}
