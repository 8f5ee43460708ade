package import ParleyModel

/// The stamps of traced messages: a list for each message, which goes after a while.
///
/// Each stamp is `HOP NODE MICROSECONDS SOCKETS`. The nodes' clocks may differ, so whoever writes asks Redis for its time
/// first: where the two clocks are further apart than the question has taken, the stamps are put right by the difference.
/// On one machine, or with clocks that are well kept, that never happens, and stamps are as exact as the clock.
package final class RedisTraceStore: TraceStore {
    /// How long stamps are kept, in seconds.
    package static let lifetime: Int64 = 3600
    /// The most stamps of a message: enough for a hundred nodes.
    package static let mostStamps = 1000
    private static let timeout = Duration.seconds(2)

    private let hosts: RedisHosts
    private let microseconds: @Sendable () -> Int64

    /// - Parameter microseconds: Unix time, by the clock that the stamps were taken by.
    package init(hosts: RedisHosts, microseconds: @escaping @Sendable () -> Int64 = WallClock.systemMicroseconds) {
        self.hosts = hosts
        self.microseconds = microseconds
    }

    package func add(_ stamps: [TraceStamp], of message: MessageID) async {
        guard !stamps.isEmpty else { return }
        let (key, connection) = place(of: message)
        let correction = await correction(by: connection)
        var push = RESPCommand(count: 2 + stamps.count)
        push.append("RPUSH")
        push.append(key)
        for stamp in stamps {
            push.append("\(stamp.hop.rawValue) \(stamp.node) \(stamp.microseconds + correction) \(stamp.sockets)")
        }
        connection.send(push) { _ in }
        connection.send(RESPCommand("LTRIM", key, "0", String(Self.mostStamps - 1))) { _ in }
        _ = try? await connection.send(RESPCommand("EXPIRE", key, String(Self.lifetime)), within: Self.timeout)
    }

    package func stamps(of message: MessageID) async throws(SharedStoreError) -> [TraceStamp] {
        let (key, connection) = place(of: message)
        do throws(RedisError) {
            let reply = try await connection.send(RESPCommand("LRANGE", key, "0", "-1"), within: Self.timeout)
            return (reply.elements ?? []).compactMap { $0.text.flatMap(Self.stamp) }
        } catch {
            throw .unavailable("\(error)")
        }
    }

    private func place(of message: MessageID) -> (key: String, connection: CommandConnection) {
        let key = hosts.layout.names.trace(of: message)
        return (key, hosts.commands[hosts.layout.ring.host(of: key)])
    }

    /// What is to be added to stamps of this node, in microseconds.
    private func correction(by connection: CommandConnection) async -> Int64 {
        let before = microseconds()
        guard let reply = try? await connection.send(RESPCommand("TIME"), within: Self.timeout),
            let parts = reply.elements, parts.count == 2,
            let seconds = parts[0].text.flatMap({ Int64($0) }), let rest = parts[1].text.flatMap({ Int64($0) })
        else { return 0 }
        return Self.correction(before: before, theirs: seconds * 1_000_000 + rest, after: microseconds())
    }

    /// How much a clock that said `theirs` some time between two looks at ours is ahead of it; 0 if that may be nothing.
    package static func correction(before: Int64, theirs: Int64, after: Int64) -> Int64 {
        if (before...max(before, after)).contains(theirs) { return 0 }
        return theirs - (before + (after - before) / 2)
    }

    private static func stamp(_ text: String) -> TraceStamp? {
        let words = text.split(separator: " ")
        guard words.count == 4, let hop = TraceStamp.Hop(rawValue: String(words[0])), let time = Int64(words[2]),
            let sockets = Int(words[3])
        else { return nil }
        return TraceStamp(hop, at: String(words[1]), microseconds: time, sockets: sockets)
    }
}
