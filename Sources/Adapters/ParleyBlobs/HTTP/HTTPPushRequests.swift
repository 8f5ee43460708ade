import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
package import NIOSSL
package import ParleyModel
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Sends requests to push services and to endpoints of webhooks with async-http-client, over HTTP/2 where TLS negotiates it.
///
/// The host of a stranger is connected to at an address that was checked, so its name cannot lead elsewhere in between. The
/// certificate has to name the host.
///
/// The mutex guards the clients, and is not held during a request. `shutdown` must be called before it is released.
package final class HTTPPushRequests: PushRequests {
    /// Returns the addresses at which the host of a stranger may be connected to, at least one, in the order of preference.
    package typealias Addresses =
        @Sendable (PushRequest.Stranger) async throws(PushRequestError) -> [String]

    /// The number of addresses of a host that are tried.
    static let maximumAddresses = 3

    /// A client for a host, which connects at one address only.
    private struct Place: Hashable {
        let host: String
        let address: String
    }

    private struct Use {
        let client: HTTPClient
        var count: Int
    }

    private let tls: TLSConfiguration?
    private let timeLimit: Duration
    private let addresses: Addresses?
    private let maximumIdle: Int
    private let services: HTTPClient
    private let strangers = Mutex<[Place: Use]>([:])

    /// - Parameters:
    ///   - addresses: Resolves and checks the hosts of strangers; `nil` refuses requests to them.
    ///   - tls: The roots of trust; `nil` uses the roots of the system.
    ///   - maximumIdle: The maximum number of idle clients that are kept for hosts of strangers.
    package init(
        addresses: Addresses? = nil, tls: TLSConfiguration? = nil, timeLimit: Duration = PushRequest.timeLimit,
        maximumIdle: Int = 16
    ) {
        self.addresses = addresses
        self.tls = tls
        self.timeLimit = timeLimit
        self.maximumIdle = maximumIdle
        services = Self.client(tls, connecting: [:])
    }

    /// Closes all connections. Requests in progress fail.
    package func shutdown() async {
        try? await services.shutdown()
        let clients = strangers.withLock { strangers in
            defer { strangers = [:] }
            return strangers.values.map(\.client)
        }
        for client in clients { try? await client.shutdown() }
    }

    package func answer(to request: PushRequest) async throws(PushRequestError) -> PushAnswer {
        do {
            return try await withThrowingTaskGroup(of: PushAnswer.self) { group in
                group.addTask { try await self.send(request) }
                // The client's own deadline is met by the head of the response.
                group.addTask { [timeLimit] in
                    try await Task.sleep(for: timeLimit)
                    throw PushRequestError("no answer within \(timeLimit)")
                }
                defer { group.cancelAll() }
                guard let answer = try await group.next() else { throw CancellationError() }
                return answer
            }
        } catch let error as PushRequestError {
            throw error
        } catch {
            throw PushRequestError(Self.reason(of: error))
        }
    }

    private static func reason(of error: any Error) -> String {
        switch error {
        case let error as HTTPClientError: "\(error)".replacing("HTTPClientError.", with: "connection failed: ")
        case is NIOConnectionError: "connection failed"
        case let error as IOError: "connection failed: \(error)"
        default: "connection failed: \(type(of: error))"
        }
    }

    private func send(_ request: PushRequest) async throws -> PushAnswer {
        guard let stranger = request.stranger else { return try await Self.send(request, with: services) }
        guard let addresses else { throw PushRequestError("no resolver for hosts of users is set") }
        var failure: any Error = PushRequestError("\(stranger.host) has no address")
        for address in try await addresses(stranger).prefix(Self.maximumAddresses) {
            let place = Place(host: stranger.host, address: address)
            let client = acquire(place)
            do {
                let answer = try await Self.send(request, with: client)
                await release(place)
                return answer
            } catch {
                await release(place)
                // The service may have got the request unless there was no connection.
                guard Self.isBeforeConnection(error) else { throw error }
                failure = error
            }
        }
        throw failure
    }

    private static func isBeforeConnection(_ error: any Error) -> Bool {
        if let error = error as? IOError {
            return [ECONNREFUSED, ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.errnoCode)
        }
        return (error as? HTTPClientError) == .connectTimeout
    }

    private static func send(_ request: PushRequest, with client: HTTPClient) async throws -> PushAnswer {
        var sent = HTTPClientRequest(url: request.url)
        sent.method = .POST
        for header in request.headers { sent.headers.add(name: header.name, value: header.value) }
        sent.body = .bytes(request.body)
        let response = try await client.execute(sent, deadline: .distantFuture)
        var body: [UInt8] = []
        // A larger body does not change what the status says.
        for try await part in response.body {
            body += part.readableBytesView.prefix(PushRequest.maximumAnswer - body.count)
            if body.count == PushRequest.maximumAnswer { break }
        }
        return PushAnswer(
            status: Int(response.status.code), retryAfter: response.headers.first(name: "retry-after"), body: body,
            isHTTP2: response.version == .http2)
    }

    // MARK: Clients

    private func acquire(_ place: Place) -> HTTPClient {
        strangers.withLock { strangers in
            if let use = strangers[place] {
                strangers[place]?.count += 1
                return use.client
            }
            let client = Self.client(tls, connecting: [place.host: place.address])
            strangers[place] = Use(client: client, count: 1)
            return client
        }
    }

    /// Ends a use, and closes an idle client if there are too many.
    private func release(_ place: Place) async {
        let closed: HTTPClient? = strangers.withLock { strangers in
            strangers[place]?.count -= 1
            let idle = strangers.filter { $0.value.count <= 0 }
            guard idle.count > maximumIdle, let other = idle.first(where: { $0.key != place }) else { return nil }
            strangers[other.key] = nil
            return other.value.client
        }
        try? await closed?.shutdown()
    }

    private static func client(_ tls: TLSConfiguration?, connecting addresses: [String: String]) -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(3), read: .seconds(10), write: .seconds(10)), decompression: .disabled)
        configuration.httpVersion = .automatic
        // APNs takes connections that are opened again and again for an attack, so they are kept.
        configuration.connectionPool = .init(
            idleTimeout: .minutes(10), concurrentHTTP1ConnectionsPerHostSoftLimit: 16)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.dnsOverride = addresses
        configuration.guardStatus()
        return HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }
}
