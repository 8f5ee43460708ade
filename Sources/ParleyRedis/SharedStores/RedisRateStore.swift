package import ParleyModel

/// The token buckets and failure windows of all nodes: a key for each, on the host of its name, by the clock of Redis.
/// A key expires when its bucket is full or its window has ended.
package final class RedisRateStore: RateStore {
    private let hosts: RedisHosts
    private let timeout: Duration

    /// - Parameter timeout: the maximum time for a reply; after it the store counts as unavailable.
    package init(hosts: RedisHosts, timeout: Duration = .milliseconds(250)) {
        self.hosts = hosts
        self.timeout = timeout
    }

    package func take(_ tokens: Int, of key: RateKey, at rate: TokenRate) async throws(SharedStoreError) -> Int64 {
        let reply = try await query(
            RedisScripts.take, key,
            [rate.interval, rate.interval * Int64(rate.burst), Int64(min(max(1, tokens), rate.burst))])
        guard let wait = reply.number else { throw .unavailable("unexpected reply") }
        return wait
    }

    package func count(
        _ failures: Int, of key: RateKey, within milliseconds: Int64
    ) async throws(SharedStoreError) -> FailureWindow? {
        let reply = try await query(RedisScripts.count, key, [Int64(max(0, failures)), milliseconds])
        guard let values = reply.elements, values.count == 2, let failures = values[0].number,
            let left = values[1].number
        else { throw .unavailable("unexpected reply") }
        return failures > 0 ? FailureWindow(failures: Int(failures), remaining: max(1, left)) : nil
    }

    private func query(
        _ script: RedisScript, _ key: RateKey, _ arguments: [Int64]
    ) async throws(SharedStoreError) -> RESPValue {
        let name = hosts.layout.names.rate(key.text)
        var command = script.command(keys: [name], arguments: arguments.count)
        for argument in arguments { command.append(argument) }
        do {
            return try await hosts.commands[hosts.layout.ring.host(of: name)].send(command, within: timeout)
        } catch {
            throw .unavailable("\(error)")
        }
    }
}
