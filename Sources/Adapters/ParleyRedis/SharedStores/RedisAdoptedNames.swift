import Crypto
import ParleyChannels
package import ParleyModel
import ParleyRedisClient

/// The names of adopted events, derived from their digest and their time. For an event without a time, the time at
/// which a node first heard it is a key on the host of its thread.
package final class RedisAdoptedNames: AdoptedNames {
    private static let timeout = Duration.seconds(2)

    private let hosts: RedisHosts
    private let clock: WallClock

    package init(hosts: RedisHosts, clock: WallClock = .system) {
        self.hosts = hosts
        self.clock = clock
    }

    package func clientID(
        of send: ForeignSend, in thread: ThreadID, rememberedFor milliseconds: Int64
    ) async throws(SharedStoreError) -> String {
        if let time = send.sentMicroseconds { return Self.clientID(of: send, in: thread, microseconds: time) }
        let connection = hosts.commands[hosts.layout.host(of: thread)]
        let key = hosts.layout.names.heard(Hex.encode(send.digest), in: thread)
        connection.send(RESPCommand("SET", key, "\(clock.milliseconds)", "NX", "PX", "\(milliseconds)")) { _ in }
        do throws(RedisError) {
            // Redis runs this command after the other.
            let reply = try await connection.send(RESPCommand("GET", key), within: Self.timeout)
            guard let time = reply.number?.within(LogBounds.dates) else { throw .unexpected("no time") }
            return Self.clientID(of: send, in: thread, microseconds: time * 1000)
        } catch {
            throw .unavailable("\(error)")
        }
    }

    /// A UUIDv7, whose time proves to the log that the send is new, so that it need not be looked up in the database.
    package static func clientID(of send: ForeignSend, in thread: ThreadID, microseconds: Int64) -> String {
        var hash = SHA256()
        // A thread's id contains no line feed.
        hash.update(data: Array("\(thread)\n\(microseconds)\n".utf8))
        hash.update(data: send.digest)
        return UUIDv7(milliseconds: microseconds / 1000, digest: hash.finalize()).canonical
    }
}
