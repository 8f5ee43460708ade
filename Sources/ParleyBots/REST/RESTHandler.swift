import NIOCore
import NIOHTTP1

/// A request with the promise of its response.
struct RESTCall: Sendable {
    let head: HTTPRequestHead
    let body: ByteBuffer?
    let promise: EventLoopPromise<RESTReply>
}

/// Assembles responses and completes their promises.
final class RESTHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = RESTCall
    typealias OutboundOut = HTTPClientRequestPart

    private let maximumBytes: Int
    private var promise: EventLoopPromise<RESTReply>?
    private var status = 0
    private var session: String?
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
            session = head.headers["set-cookie"].lazy.compactMap(Self.session).first
            body = ByteBuffer()
        case .body(let part):
            guard body.readableBytes + part.readableBytes <= maximumBytes else { return fail(.tooLong, context) }
            body.writeImmutableBuffer(part)
        case .end:
            promise?.succeed(RESTReply(status: status, body: body, session: session))
            promise = nil
        }
    }

    private static func session(in cookie: String) -> String? {
        let name = "sessionid="
        return cookie.hasPrefix(name) ? String(cookie.dropFirst(name.count).prefix { $0 != ";" }) : nil
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

/// The response to an HTTP call.
struct RESTReply: Sendable {
    let status: Int
    let body: ByteBuffer
    /// The session that the response has begun: the value of the cookie `sessionid`.
    let session: String?
}
