import ParleyChannels
package import ParleyModel
import ParleyRedisClient

/// The token buckets and failure windows of all nodes: a key for each, on the host of its name, by the clock of Redis.
/// A key expires when its bucket is full or its window has ended.
package final class RedisRateStore: RateStore {
    private let hosts: RedisHosts
    private let timeout: Duration
    /// The numbers that scripts can reply; they compute in doubles.
    private static let numbers: ClosedRange<Int64> = -(1 << 53)...(1 << 53)

    /// - Parameter timeout: the maximum time for a reply; after it the store counts as unavailable.
    package init(hosts: RedisHosts, timeout: Duration = .milliseconds(250)) {
        self.hosts = hosts
        self.timeout = timeout
    }

    package func take(_ tokens: Int, of key: RateKey, at rate: TokenRate) async throws(SharedStoreError) -> Int64 {
        let reply = try await query(RedisScripts.take, key, Self.arguments(tokens, rate))
        guard let wait = reply.number?.within(Self.numbers) else { throw .unavailable("unexpected reply") }
        return wait
    }

    package func take(
        _ tokens: Int, of key: RateKey, at rate: TokenRate,
        completion: @escaping @Sendable (Result<Int64, SharedStoreError>) -> Void
    ) {
        let (command, connection) = command(RedisScripts.take, key, Self.arguments(tokens, rate))
        send(command, on: connection, completion)
    }

    private func send(
        _ command: RESPCommand, on connection: CommandConnection, isRepeat: Bool = false,
        _ completion: @escaping @Sendable (Result<Int64, SharedStoreError>) -> Void
    ) {
        // Held strongly: a request is completed even if all other references to the store are gone.
        connection.send(command, within: timeout) { result in
            switch result {
            case .success(.error(let text)) where text.hasPrefix("NOSCRIPT") && !isRepeat:
                connection.loadScripts()
                self.send(command, on: connection, isRepeat: true, completion)
            case .success(let reply):
                let wait = reply.number?.within(Self.numbers)
                completion(wait.map { .success($0) } ?? .failure(.unavailable("unexpected reply")))
            case .failure(let error):
                completion(.failure(.unavailable("\(error)")))
            }
        }
    }

    private static func arguments(_ tokens: Int, _ rate: TokenRate) -> [Int64] {
        [rate.interval, rate.interval * Int64(rate.burst), Int64(min(max(1, tokens), rate.burst))]
    }

    package func count(
        _ failures: Int, of key: RateKey, within milliseconds: Int64
    ) async throws(SharedStoreError) -> FailureWindow? {
        let reply = try await query(RedisScripts.count, key, [Int64(max(0, failures)), milliseconds])
        guard let values = reply.elements, values.count == 2, let failures = values[0].number?.within(Self.numbers),
            let left = values[1].number?.within(Self.numbers)
        else { throw .unavailable("unexpected reply") }
        return failures > 0 ? FailureWindow(failures: Int(failures), remaining: max(1, left)) : nil
    }

    private func query(
        _ script: RedisScript, _ key: RateKey, _ arguments: [Int64]
    ) async throws(SharedStoreError) -> RESPValue {
        let (command, connection) = command(script, key, arguments)
        do {
            return try await connection.send(command, within: timeout)
        } catch {
            throw .unavailable("\(error)")
        }
    }

    private func command(
        _ script: RedisScript, _ key: RateKey, _ arguments: [Int64]
    ) -> (RESPCommand, CommandConnection) {
        let name = hosts.layout.names.rate(key.text)
        var command = script.command(keys: [name], arguments: arguments.count)
        for argument in arguments { command.append(argument) }
        return (command, hosts.commands[hosts.layout.ring.host(of: name)])
    }
}
