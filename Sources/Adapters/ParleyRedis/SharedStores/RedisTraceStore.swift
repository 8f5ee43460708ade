import ParleyChannels
package import ParleyModel
import ParleyRedisClient

/// The stamps of traced messages: a list per message, which expires.
///
/// Each stamp is `HOP NODE MICROSECONDS SOCKETS`. The clocks of nodes may differ, so a writer requests the time of
/// Redis first. If the two clocks differ by more than the duration of that request, the stamps are corrected by the
/// difference. On one machine, or with well-synchronised clocks, that never happens, and stamps are as exact as the
/// clock.
package final class RedisTraceStore: TraceStore {
    /// The lifetime of stamps, in seconds.
    package static let lifetime: Int64 = 3600
    /// The maximum number of stamps per message: enough for a hundred nodes.
    package static let mostStamps = 1000
    private static let timeout = Duration.seconds(2)

    private let hosts: RedisHosts
    private let microseconds: @Sendable () -> Int64

    /// - Parameter microseconds: the clock of the stamps, in Unix microseconds.
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

    /// Returns the correction to add to this node's stamps, in microseconds.
    private func correction(by connection: CommandConnection) async -> Int64 {
        let before = microseconds()
        guard let reply = try? await connection.send(RESPCommand("TIME"), within: Self.timeout),
            let parts = reply.elements, parts.count == 2,
            let seconds = parts[0].number?.within(0...LogBounds.dates.upperBound / 1000),
            let rest = parts[1].number?.within(0...999_999)
        else { return 0 }
        return Self.correction(before: before, redis: seconds * 1_000_000 + rest, after: microseconds())
    }

    /// Returns the lead of the clock of Redis, which showed `redis` between two readings of the local clock, in
    /// microseconds; 0 if there may be none.
    package static func correction(before: Int64, redis: Int64, after: Int64) -> Int64 {
        if (before...max(before, after)).contains(redis) { return 0 }
        return redis - (before + (after - before) / 2)
    }

    private static func stamp(_ text: String) -> TraceStamp? {
        let words = text.split(separator: " ")
        guard words.count == 4, let hop = TraceStamp.Hop(rawValue: String(words[0])),
            let time = Int64(words[2])?.within(LogBounds.microseconds),
            let sockets = Int64(words[3])?.within(0...Int64(Int32.max))
        else { return nil }
        return TraceStamp(hop, at: String(words[1]), microseconds: time, sockets: Int(sockets))
    }
}
