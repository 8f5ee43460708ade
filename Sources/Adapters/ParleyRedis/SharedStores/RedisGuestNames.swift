package import Logging
import ParleyChannels
package import ParleyModel
import ParleyRedisClient
import Synchronization

/// The names of the line listener's guests on all nodes: a key per look, a sorted set of the owning connections by the
/// time at which they lose it. Each connection has the lower-case form of its name beside it, by which names of ASCII
/// characters are compared.
///
/// A claim expires after `lifetime` and is renewed by `run` on the node of its connection, so the names of a dead node
/// become free. While Redis is unreachable no name is granted. The names of this node are protected by a lock and
/// bounded by `limit`.
package final class RedisGuestNames: GuestNames {
    private let hosts: RedisHosts
    private let lifetime: Duration
    private let logger: Logger
    private let claims: Mutex<NameClaims>

    /// - Parameters:
    ///   - lifetime: the time for which a name stays taken after its node has died; in whole milliseconds.
    ///   - limit: the maximum number of names of this node; above it every further name counts as taken.
    package init(
        hosts: RedisHosts, lifetime: Duration = .seconds(60), limit: Int = 100_000, logger: Logger
    ) {
        self.hosts = hosts
        self.lifetime = lifetime
        self.logger = logger
        claims = Mutex(NameClaims(limit: limit))
    }

    /// Claims a name. Claiming a name again on the same connection succeeds.
    package func claim(_ name: NameLook, for connection: ConnectionID) async -> Bool {
        // Reserved locally first, so that two connections of this node never compete in Redis, and a release finds a
        // claim in progress.
        switch claims.withLock({ $0.claim(name, for: connection) }) {
        case .owned: return true
        case .taken: return false
        case .claimed: break
        }
        if await hold(name, for: connection) == true { return true }
        await release(name, by: connection)
        return false
    }

    /// Releases a name, unless another connection owns it.
    package func release(_ name: NameLook, by connection: ConnectionID) async {
        guard claims.withLock({ $0.release(name, by: connection) }) else { return }
        for key in name.keys {
            var command = RedisScripts.releaseGuest.command(keys: [hosts.layout.names.guest(key)], arguments: 2)
            command.append(connection.text)
            command.append(Self.plain(name))
            // If Redis is unreachable, the name becomes free when the claim expires.
            _ = try? await connectionOf(key).send(command)
        }
    }

    /// Renews the names of this node until the task is cancelled.
    package func run() async {
        while (try? await Task.sleep(for: lifetime / 3)) != nil {
            let all = claims.withLock { $0.all }
            for (name, connection) in all where await hold(name, for: connection) == false {
                // Redis was unreachable or lost its data, and another node took the name. Both guests keep it: a
                // connected guest is not disconnected for it.
                claims.withLock { _ = $0.release(name, by: connection) }
                logger.warning("guest name taken twice")
            }
        }
    }

    /// Claims or renews a name.
    /// - Returns: whether the connection has it; `nil` if Redis is unreachable.
    private func hold(_ name: NameLook, for connection: ConnectionID) async -> Bool? {
        for key in name.keys {
            var command = RedisScripts.holdGuest.command(keys: [hosts.layout.names.guest(key)], arguments: 3)
            command.append(connection.text)
            command.append(Self.plain(name))
            command.append(Int64(lifetime / .milliseconds(1)))
            guard let reply = try? await connectionOf(key).send(command) else { return nil }
            guard reply.number == 1 else { return false }
        }
        return true
    }

    /// The lower case of a name of ASCII characters, otherwise an empty text.
    private static func plain(_ name: NameLook) -> String { name.plain ?? "" }

    private func connectionOf(_ key: String) -> CommandConnection {
        hosts.commands[hosts.layout.ring.host(of: hosts.layout.names.guest(key))]
    }
}
