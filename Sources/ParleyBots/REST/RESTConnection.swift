import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// One connection for HTTP calls, one call at a time.
///
/// Owned by one task; the channel's handler is bound to its event loop.
final class RESTConnection: Sendable {
    private let channel: any Channel
    private let door: Door
    private let headers: HTTPHeaders

    /// The longest answer, in bytes.
    static let maximumBytes = 64 << 20
    static let timeout = TimeAmount.seconds(60)

    private init(_ channel: any Channel, _ door: Door, _ headers: HTTPHeaders) {
        self.channel = channel
        self.door = door
        self.headers = headers
    }

    static func open(
        _ door: Door, headers: HTTPHeaders, tls: NIOSSLContext?, on loop: any EventLoop,
        timeout: TimeAmount = .seconds(10)
    ) async throws -> RESTConnection {
        let channel = try await ClientBootstrap(group: loop)
            .connectTimeout(timeout)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if door.isTLS, let tls { try pipeline.addHandler(try TLS.handler(tls, host: door.host)) }
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(RESTHandler(maximumBytes: maximumBytes))
                }
            }
            .connect(to: door.address).get()
        return RESTConnection(channel, door, headers)
    }

    /// Sends a request and waits for the whole answer.
    /// - Throws: What ended the connection, or `RESTFailure.timedOut`; the connection is of no use then.
    func call(
        _ method: HTTPMethod, _ path: String, user: String? = nil, body: ByteBuffer? = nil,
        timeout: TimeAmount = timeout
    ) async throws -> RESTReply {
        var head = HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: headers)
        head.headers.add(name: "Host", value: door.authority)
        if let user { head.headers.add(name: "X-Parley-User", value: user) }
        if let body { head.headers.add(name: "Content-Length", value: "\(body.readableBytes)") }
        let promise = channel.eventLoop.makePromise(of: RESTReply.self)
        let timer = channel.eventLoop.scheduleTask(in: timeout) { [channel] in
            promise.fail(RESTFailure.timedOut(path))
            channel.close(promise: nil)
        }
        promise.futureResult.whenComplete { _ in timer.cancel() }
        channel.writeAndFlush(RESTCall(head: head, body: body, promise: promise), promise: nil)
        return try await promise.futureResult.get()
    }

    func close() async {
        try? await channel.close()
    }
}

/// What went wrong with an HTTP call.
package enum RESTFailure: Error, CustomStringConvertible {
    case timedOut(String)
    case tooLong
    case closed
    case unreachable(url: String, reason: String)
    /// An answer that is none that was hoped for.
    case refused(path: String, status: Int, body: String)
    /// An answer that is not what the protocol says.
    case malformed(path: String)

    package var description: String {
        switch self {
        case .timedOut(let path): "\(path) was not answered in time"
        case .tooLong: "an answer is longer than \(RESTConnection.maximumBytes) bytes"
        case .unreachable(let url, let reason): "\(url) cannot be reached: \(reason)"
        case .closed: "the connection was closed before the answer"
        case .refused(let path, let status, let body): "\(path) was answered by \(status): \(body)"
        case .malformed(let path): "the answer of \(path) is not what the protocol says"
        }
    }
}

/// The answer to an HTTP call.
struct RESTReply: Sendable {
    let status: Int
    let body: ByteBuffer
}

/// A request on its way into the pipeline.
private struct RESTCall: Sendable {
    let head: HTTPRequestHead
    let body: ByteBuffer?
    let promise: EventLoopPromise<RESTReply>
}

/// Puts answers together and hands them to who asked.
private final class RESTHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = RESTCall
    typealias OutboundOut = HTTPClientRequestPart

    private let maximumBytes: Int
    private var promise: EventLoopPromise<RESTReply>?
    private var status = 0
    private var body = ByteBuffer()

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let call = unwrapOutboundIn(data)
        guard context.channel.isActive else { return call.promise.fail(RESTFailure.closed) }
        self.promise = call.promise
        context.write(wrapOutboundOut(.head(call.head)), promise: nil)
        if let body = call.body { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        context.write(wrapOutboundOut(.end(nil)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            status = Int(head.status.code)
            body = ByteBuffer()
        case .body(let part):
            guard body.readableBytes + part.readableBytes <= maximumBytes else { return fail(.tooLong, context) }
            body.writeImmutableBuffer(part)
        case .end:
            promise?.succeed(RESTReply(status: status, body: body))
            promise = nil
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(.closed, context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        promise?.fail(error)
        promise = nil
        context.close(promise: nil)
    }

    private func fail(_ failure: RESTFailure, _ context: ChannelHandlerContext) {
        promise?.fail(failure)
        promise = nil
        context.close(promise: nil)
    }
}
