package import Logging
package import ParleyModel
import Synchronization

/// The names of the line listener's guests on all nodes: a key per name, which holds the owning connection.
///
/// A key expires after `lifetime` and is renewed by `run` on the node of its connection, so the names of a dead node
/// become free. While Redis is unreachable no name is granted. The names of this node are protected by a lock and
/// bounded by `limit`.
package final class RedisGuestNames: GuestNames {
    private let hosts: RedisHosts
    private let lifetime: Duration
    private let limit: Int
    private let logger: Logger
    private let owners = Mutex<[String: ConnectionID]>([:])

    /// - Parameters:
    ///   - lifetime: how long a name stays taken after its node has died; in whole milliseconds.
    ///   - limit: the maximum number of names of this node; above it every further name counts as taken.
    package init(
        hosts: RedisHosts, lifetime: Duration = .seconds(60), limit: Int = 100_000, logger: Logger
    ) {
        self.hosts = hosts
        self.lifetime = lifetime
        self.limit = limit
        self.logger = logger
    }

    /// Claims a name. Claiming a name again on the same connection succeeds.
    package func claim(_ name: String, for connection: ConnectionID) async -> Bool {
        // Reserved locally first, so that two connections of this node never compete in Redis, and a release finds a
        // claim in progress.
        let isOurs = owners.withLock { owners in
            if let owner = owners[name] { return owner == connection }
            guard owners.count < limit else { return false }
            owners[name] = connection
            return true
        }
        guard isOurs else { return false }
        if await hold(name, for: connection) == true { return true }
        forget(name, by: connection)
        return false
    }

    /// Releases a name, unless another connection owns it.
    package func release(_ name: String, by connection: ConnectionID) async {
        guard forget(name, by: connection) else { return }
        var command = RedisScripts.releaseName.command(keys: [hosts.layout.names.guest(name)], arguments: 1)
        command.append(connection.text)
        // If Redis is unreachable, the name becomes free when its key expires.
        _ = try? await connectionOf(name).send(command)
    }

    /// Renews the names of this node until the task is cancelled.
    package func run() async {
        while (try? await Task.sleep(for: lifetime / 3)) != nil {
            let owners = owners.withLock { $0 }
            for (name, connection) in owners where await hold(name, for: connection) == false {
                // Redis was unreachable or lost its data, and another node took the name. Both guests keep it: a
                // connected guest is not disconnected for it.
                forget(name, by: connection)
                logger.warning("guest name taken twice")
            }
        }
    }

    /// Claims or renews a name.
    /// - Returns: whether the connection has it; `nil` if Redis is unreachable.
    private func hold(_ name: String, for connection: ConnectionID) async -> Bool? {
        var command = RedisScripts.holdName.command(keys: [hosts.layout.names.guest(name)], arguments: 2)
        command.append(connection.text)
        command.append(Int64(lifetime / .milliseconds(1)))
        return (try? await connectionOf(name).send(command)).map { $0.number == 1 }
    }

    @discardableResult
    private func forget(_ name: String, by connection: ConnectionID) -> Bool {
        owners.withLock { owners in
            guard owners[name] == connection else { return false }
            owners[name] = nil
            return true
        }
    }

    private func connectionOf(_ name: String) -> CommandConnection {
        hosts.commands[hosts.layout.ring.host(of: hosts.layout.names.guest(name))]
    }
}
