import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A connection for HTTP calls, one call at a time.
///
/// Owned by one task; the channel's handler is bound to its event loop.
final class RESTConnection: Sendable {
    private let channel: any Channel
    private let endpoint: Endpoint
    private let headers: HTTPHeaders

    /// Maximum response size, in bytes.
    static let maximumBytes = 64 << 20
    static let timeout = TimeAmount.seconds(60)

    private init(_ channel: any Channel, _ endpoint: Endpoint, _ headers: HTTPHeaders) {
        self.channel = channel
        self.endpoint = endpoint
        self.headers = headers
    }

    static func open(
        _ endpoint: Endpoint, headers: HTTPHeaders, tls: NIOSSLContext?, on loop: any EventLoop,
        timeout: TimeAmount = .seconds(10)
    ) async throws -> RESTConnection {
        let channel = try await ClientBootstrap(group: loop)
            .connectTimeout(timeout)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if endpoint.isTLS, let tls { try pipeline.addHandler(try TLS.handler(tls, host: endpoint.host)) }
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(RESTHandler(maximumBytes: maximumBytes))
                }
            }
            .connect(to: endpoint.address).get()
        return RESTConnection(channel, endpoint, headers)
    }

    /// Sends a request and waits for the complete response.
    /// - Throws: the error that closed the connection, or `RESTFailure.timedOut`; the connection cannot be used
    ///   afterwards.
    func call(
        _ method: HTTPMethod, _ path: String, user: String? = nil, body: ByteBuffer? = nil,
        contentType: String = "application/x-ndjson", timeout: TimeAmount = timeout
    ) async throws -> RESTReply {
        var head = HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: headers)
        head.headers.add(name: "Host", value: endpoint.authority)
        if let user { head.headers.add(name: "X-Parley-User", value: user) }
        if let body {
            head.headers.add(name: "Content-Length", value: "\(body.readableBytes)")
            head.headers.add(name: "Content-Type", value: contentType)
        }
        let promise = channel.eventLoop.makePromise(of: RESTReply.self)
        let timer = channel.eventLoop.scheduleTask(in: timeout) { [channel] in
            promise.fail(RESTFailure.timedOut(path))
            channel.close(promise: nil)
        }
        promise.futureResult.whenComplete { _ in timer.cancel() }
        // A closed connection does not even pass the call to its handler.
        channel.writeAndFlush(RESTCall(head: head, body: body, promise: promise)).whenFailure { promise.fail($0) }
        return try await promise.futureResult.get()
    }

    func close() async {
        try? await channel.close()
    }
}
