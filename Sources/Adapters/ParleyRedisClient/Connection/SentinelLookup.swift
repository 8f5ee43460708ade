import NIOCore

/// Queries the sentinels of a group in turn for its master. Owned by an event loop.
final class SentinelLookup {
    private let sentinels: [(address: RedisAddress, endpoint: RedisEndpoint)]
    private let master: String
    private let eventLoop: any EventLoop
    private let settings: RedisLinkSettings
    private let connector: RedisConnector
    /// The index of the sentinel that replied last; it is queried first.
    private var first = 0

    /// Returns `nil` if the address has no sentinels.
    init?(
        _ address: RedisAddress, eventLoop: any EventLoop, settings: RedisLinkSettings, transport: any RedisTransport
    ) {
        guard case .master(let sentinels) = address.place, !sentinels.endpoints.isEmpty else { return nil }
        self.sentinels = address.sentinels.flatMap { sentinel in sentinel.endpoints.map { (sentinel, $0) } }
        master = sentinels.master
        self.eventLoop = eventLoop
        self.settings = settings
        connector = RedisConnector(
            transport, address.tls, eventLoop: eventLoop, timeout: settings.sentinelTimeout)
    }

    /// Returns the endpoint of the master.
    func endpoint() -> EventLoopFuture<RedisEndpoint> {
        let promise = eventLoop.makePromise(of: RedisEndpoint.self)
        query(0, promise)
        return promise.futureResult
    }

    /// Queries the next sentinel.
    /// - Parameter count: The number of sentinels queried without success; fewer than there are.
    private func query(_ count: Int, _ promise: EventLoopPromise<RedisEndpoint>) {
        let index = (first + count) % sentinels.count
        let (sentinel, endpoint) = sentinels[index]
        var commands: [RESPCommand] = []
        if let authentication = Greeting.authentication(for: sentinel) { commands.append(authentication) }
        commands.append(RESPCommand("SENTINEL", "get-master-addr-by-name", master))
        OneShotConnection.query(
            endpoint, commands, by: connector, limits: settings.limits, within: settings.sentinelTimeout,
            on: eventLoop
        ).assumeIsolated().whenComplete { [self] result in
            let reason: String
            switch result.map({ (Self.endpoint($0), $0) }) {
            case .success((let endpoint?, _)):
                first = index
                return promise.succeed(endpoint)
            case .success((nil, let replies)):
                reason = Self.violation(replies, master)
            case .failure(let error):
                reason = "\(error)"
            }
            if count + 1 < sentinels.count { return query(count + 1, promise) }
            promise.fail(RedisError.notConnected("sentinel \(endpoint): \(reason)"))
        }
    }

    private static func endpoint(_ replies: [RESPValue]) -> RedisEndpoint? {
        guard let parts = replies.last?.elements, parts.count == 2, let host = parts[0].text,
            let port = parts[1].number, 1...65535 ~= port
        else { return nil }
        return .tcp(host: host, port: Int(port))
    }

    private static func violation(_ replies: [RESPValue], _ master: String) -> String {
        for case .error(let text) in replies { return text }
        return "does not know the master \(master)"
    }
}
