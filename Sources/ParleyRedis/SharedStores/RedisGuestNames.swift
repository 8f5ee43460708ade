package import Logging
package import ParleyModel
import Synchronization

/// The names of the line door's guests on all nodes: a key for each, which holds the connection that has the name.
///
/// A key lives for `lifetime` and is renewed by `run` of the node that has it, so a node that dies gives its names back
/// by itself. While Redis is away no name is given. What this node has is owned by a lock and bounded by `limit`.
package final class RedisGuestNames: GuestNames {
    private let hosts: RedisHosts
    private let lifetime: Duration
    private let limit: Int
    private let logger: Logger
    private let owners = Mutex<[String: ConnectionID]>([:])

    /// - Parameters:
    ///   - lifetime: how long a name stays taken after its node has died; whole milliseconds.
    ///   - limit: names of this node at the same time; above it every further name counts as taken.
    package init(
        hosts: RedisHosts, lifetime: Duration = .seconds(60), limit: Int = 100_000, logger: Logger
    ) {
        self.hosts = hosts
        self.lifetime = lifetime
        self.limit = limit
        self.logger = logger
    }

    /// Claiming one's own name again succeeds.
    package func claim(_ name: String, for connection: ConnectionID) async -> Bool {
        // Taken here first, so that two connections of this node need not ask, and a release finds what is being asked.
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

    /// Another connection's name stays.
    package func release(_ name: String, by connection: ConnectionID) async {
        guard forget(name, by: connection) else { return }
        var command = RedisScripts.releaseName.command(keys: [hosts.layout.names.guest(name)], arguments: 1)
        command.append(connection.text)
        // If Redis is away the name is free again when its time is over.
        _ = try? await connectionOf(name).send(command)
    }

    /// Renews what this node has, until the task is cancelled.
    package func run() async {
        while (try? await Task.sleep(for: lifetime / 3)) != nil {
            let owners = owners.withLock { $0 }
            for (name, connection) in owners where await hold(name, for: connection) == false {
                // Redis was away or has lost its memory, and somebody else was quicker. Both keep the name: a guest
                // who is in is not thrown out for it.
                forget(name, by: connection)
                logger.warning("a guest's name is taken twice")
            }
        }
    }

    /// Takes a name, or holds it for longer.
    /// - Returns: whether the connection has it; `nil` if Redis is away.
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
