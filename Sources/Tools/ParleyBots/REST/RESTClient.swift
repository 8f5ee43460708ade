import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix

/// HTTP calls to servers, whose connections are kept open between calls. `shutDown()` must be called at the end.
struct RESTClient: Sendable {
    /// Maximum response size, in bytes.
    static let maximumBytes = 64 << 20
    static let timeout = TimeAmount.seconds(60)

    private let http: HTTPClient

    /// - Parameter isLenient: skips certificate validation.
    init(isLenient: Bool, on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton) {
        http = HTTPClient(
            eventLoopGroupProvider: .shared(group), configuration: Self.configuration(isLenient: isLenient))
    }

    private static func configuration(isLenient: Bool) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(10)))
        configuration.tlsConfiguration = TLS.configuration(isLenient: isLenient)
        configuration.httpVersion = .http1Only
        return configuration
    }

    /// Sends a request and waits for the complete response.
    /// - Throws: `RESTFailure`, or the error that broke the connection.
    func call(
        _ method: HTTPMethod, _ path: String, at endpoint: Endpoint, headers: [(String, String)] = [],
        body: ByteBuffer? = nil, timeout: TimeAmount = timeout
    ) async throws -> RESTReply {
        var request = HTTPClientRequest(url: "\(endpoint.isTLS ? "https" : "http")://\(endpoint.authority)\(path)")
        request.method = method
        request.headers = HTTPHeaders(headers)
        if let body { request.body = .bytes(body) }
        // The deadline of `HTTPClient` ends with the head of the response; a server may stop in the middle of the body.
        return try await withThrowingTaskGroup(of: RESTReply.self) { group in
            group.addTask { [request] in try await send(request) }
            group.addTask {
                try await Task.sleep(for: .nanoseconds(timeout.nanoseconds))
                throw RESTFailure.timedOut(path)
            }
            defer { group.cancelAll() }
            guard let reply = try await group.next() else { throw CancellationError() }
            return reply
        }
    }

    private func send(_ request: HTTPClientRequest) async throws -> RESTReply {
        do {
            let response = try await http.execute(request, deadline: .distantFuture)
            let session = response.headers["set-cookie"].lazy.compactMap(Self.session).first
            let content = try await response.body.collect(upTo: Self.maximumBytes)
            return RESTReply(status: Int(response.status.code), body: content, session: session)
        } catch is NIOTooManyBytesError {
            throw RESTFailure.tooLong
        }
    }

    private static func session(in cookie: String) -> String? {
        let name = "sessionid="
        return cookie.hasPrefix(name) ? String(cookie.dropFirst(name.count).prefix { $0 != ";" }) : nil
    }

    func shutDown() async { try? await http.shutdown() }
}

/// The response to an HTTP call.
struct RESTReply: Sendable {
    let status: Int
    let body: ByteBuffer
    /// The session that the response has begun: the value of the cookie `sessionid`.
    let session: String?
}
