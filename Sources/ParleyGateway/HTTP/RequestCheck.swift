import Logging
import NIOCore
import NIOHTTP1
import ParleyModel

/// Refuses requests that HTTP allows no server to answer otherwise, for every listener alike (RFC 9112 §3.2): with
/// 400, behind the responses to earlier requests, and closes. It also marks the last request of a connection, so that the
/// server closes the connection after the response.
///
/// Stands directly behind the `RequestDecoder`. Bound to its event loop.
final class RequestCheck: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let decoder: RequestDecoder
    private let clock: WallClock
    private let closeTimeout: TimeAmount
    private let logger: Logger
    /// Requests that were passed on and whose response is not complete.
    private var unanswered = 0
    /// The request that was refused; all further input is discarded.
    private var refused: Rejection?
    private var timer: Scheduled<Void>?

    /// - Parameters:
    ///   - decoder: directly in front.
    ///   - closeTimeout: how long a client may take to hang up after the refusal.
    init(_ decoder: RequestDecoder, clock: WallClock, closeTimeout: TimeAmount, logger: Logger) {
        self.decoder = decoder
        self.clock = clock
        self.closeTimeout = closeTimeout
        self.logger = logger
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard refused == nil else { return }
        // Behind a handshake there are no requests.
        if decoder.next == .request, case .head(var head)? = context.part(data, as: InboundIn.self) {
            if let violation = head.violation {
                refused = .badRequest(violation)
                decoder.next = .nothing
                if unanswered == 0 { refuse(context) }
                return
            }
            unanswered += 1
            // Hummingbird closes behind a request whose only `Connection` is `close`; HTTP/1.0 means it without one.
            if !head.isKeepAlive, !head.headers.contains(name: "upgrade") {
                head.headers.replaceOrAdd(name: "connection", value: "close")
                return context.fireChannelRead(wrapInboundOut(.head(head)))
            }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        context.write(data, promise: promise)
        guard case .end? = context.part(data, as: OutboundIn.self) else { return }
        unanswered -= 1
        if unanswered == 0, refused != nil { refuse(context) }
    }

    /// Responds and closes: first the output only, since closing with unread input would make the client's kernel
    /// discard the response.
    private func refuse(_ context: ChannelHandlerContext) {
        guard let refused, timer == nil else { return }
        let requestID = UUIDv7(clock).description
        logger.debug("request refused", metadata: ["reason": "\(refused.message)", "request_id": "\(requestID)"])
        let body = refused.body
        let head = refused.head(bodyLength: body.readableBytes, requestID: requestID)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(mode: .output, promise: nil)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: closeTimeout) { bound.value.close(promise: nil) }
        context.read()
    }
}

extension HTTPRequestHead {
    /// Why a server must refuse this request; `nil` if it need not.
    fileprivate var violation: String? {
        if method == .CONNECT {
            // The bytes behind it are not HTTP (RFC 9110 §9.3.6), and where they begin is not agreed upon if it has a
            // length.
            return "CONNECT is not supported, since this is no proxy"
        }
        switch headers["host"].count {
        case 0 where version.minor >= 1: return "the header Host is missing"
        case 0, 1: return nil
        default: return "there is more than one header Host"
        }
    }
}

extension ChannelHandlerContext {
    /// The value of a channel event, or `nil` if it is of another type.
    ///
    /// NIO's `unwrapInboundIn` ends the process instead, and prints the value, such as a request with its cookies.
    func part<Part>(_ data: NIOAny, as type: Part.Type) -> Part? {
        channel._channelCore.tryUnwrapData(data, as: type)
    }
}
