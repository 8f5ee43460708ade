import Logging
import NIOCore
import ParleyChannels
import ParleyModel
import ParleyRedis
import ParleyRedisClient
import Synchronization

/// The claim of a process on the queues of its node's name. Two processes that read the same queues would each miss the
/// events that the other takes, so the second does not start.
package final class QueueClaim: Sendable {
    /// Another process uses the name.
    package struct Taken: Error, CustomStringConvertible {
        let node: String

        package var description: String {
            """
            another process is the node \(node): with PARLEY_CHANNELS_LAYER=core, each node needs its own PARLEY_NODE \
            (--node)
            """
        }
    }

    /// The time for which a claim is valid after its last renewal. A process that replaces a crashed one waits this long.
    private static let life = Duration.seconds(6)
    static let renewal = TimeAmount.seconds(2)
    private static let retryPause = Duration.milliseconds(500)

    private let node: String
    private let hosts: RedisHosts
    private let logger: Logger
    private let process: String
    private let state = Mutex((isReleased: false, isLost: false))

    init(node: String, hosts: RedisHosts, logger: Logger) {
        self.node = node
        self.hosts = hosts
        self.logger = logger
        var generator = SystemRandomNumberGenerator()
        process = Epoch.make(using: &generator).text + Epoch.make(using: &generator).text
    }

    private var key: String { hosts.layout.names.queueNode(node) }
    private var connection: CommandConnection { hosts.commands[hosts.layout.ring.host(of: key)] }

    private var hold: RESPCommand {
        var command = RedisScripts.holdName.command(keys: [key], arguments: 2)
        command.append(process)
        command.append(Int64(Self.life / .milliseconds(1)))
        return command
    }

    /// Takes the claim.
    /// - Throws: `Taken` or `RedisError`.
    func take() async throws {
        let start = ContinuousClock.now
        while true {
            if try await connection.send(hold).number == 1 { return }
            guard ContinuousClock.now - start < Self.life + .seconds(1) else { throw Taken(node: node) }
            try await Task.sleep(for: Self.retryPause)
        }
    }

    /// Renews the claim.
    /// - Returns: `false` once the claim is released.
    func renew() -> Bool {
        guard !state.withLock({ $0.isReleased }) else { return false }
        connection.send(hold) { [self] result in
            switch result {
            case .success(.integer(let isHeld)):
                let isNews = state.withLock { state in
                    defer { state.isLost = isHeld == 0 }
                    return isHeld == 0 && !state.isLost
                }
                guard isNews else { return }
                logger.error(
                    "another process has this node's name and takes its events of Django: set PARLEY_NODE",
                    metadata: ["node": "\(node)"])
            case .success(.error(let text)) where text.hasPrefix("NOSCRIPT"):
                connection.loadScripts()
            case .success, .failure:
                // The next renewal follows soon.
                break
            }
        }
        return true
    }

    func release() async {
        state.withLock { $0.isReleased = true }
        var command = RedisScripts.releaseName.command(keys: [key], arguments: 1)
        command.append(process)
        _ = try? await connection.send(command, within: .seconds(1))
    }
}
