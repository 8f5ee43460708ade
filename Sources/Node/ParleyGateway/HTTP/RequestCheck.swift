import Logging
import NIOCore
import NIOHTTP1
import ParleyModel

/// Refuses requests that HTTP allows no server to answer otherwise, for every listener alike (RFC 9112 §3.2): with
/// 400, behind the responses to earlier requests, and closes. It also marks the last request of a connection, so that the
/// server closes the connection after the response, and discards what the client sends behind it (§9.6).
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
    /// Whether that is a HEAD request, whose response has no body.
    private var isHead = false
    /// The head of the connection's last request has been passed on.
    private var isLast = false
    /// So has its end; all further input is discarded.
    private var isOver = false
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
        guard refused == nil, !isOver else { return }
        // Behind a handshake there are no requests.
        if decoder.next == .request, case .head(var head)? = context.part(data, as: InboundIn.self) {
            let isTrimmed = head.trimFields()
            if let violation = head.violation {
                refused = .badRequest(violation)
                isHead = head.method == .HEAD
                decoder.next = .nothing
                if unanswered == 0 { refuse(context) }
                return
            }
            if head.awaitsContinue, unanswered == 0 { invite(context) }
            unanswered += 1
            // Hummingbird closes behind a request whose only `Connection` is `close`; HTTP/1.0 means it without one.
            if !head.isKeepAlive, !head.offersSocket {
                isLast = true
                head.headers.replaceOrAdd(name: "connection", value: "close")
                return context.fireChannelRead(wrapInboundOut(.head(head)))
            }
            if isTrimmed { return context.fireChannelRead(wrapInboundOut(.head(head))) }
        } else if isLast, case .end? = context.part(data, as: InboundIn.self) {
            isOver = true
            if decoder.next == .request { decoder.next = .nothing }
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The parser may already have read on in the same packet; what it finds there gets no response.
        let isOfInput = error is HTTPParserError || error is ByteToMessageDecoderError
        guard !isOfInput || refused == nil && !isOver else { return }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        context.write(data, promise: promise)
        guard case .end? = context.part(data, as: OutboundIn.self) else { return }
        unanswered -= 1
        if unanswered == 0, refused != nil { refuse(context) }
    }

    /// Invites the client to send the body that it holds back (RFC 9110 §10.1.1). A request behind others gets no
    /// invitation, since their responses come first; its client sends the body after a time of its own.
    private func invite(_ context: ChannelHandlerContext) {
        context.writeAndFlush(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
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
        if !isHead { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(mode: .output, promise: nil)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: closeTimeout) { bound.value.close(promise: nil) }
        context.read()
    }
}

extension HTTPRequestHead {
    /// Removes the white space behind the values of fields, which the parser leaves there and which is no part of them
    /// (RFC 9112 §5.1).
    /// - Returns: whether there was some.
    fileprivate mutating func trimFields() -> Bool {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        guard headers.contains(where: { $0.value.utf8.last.map(isSpace) ?? false }) else { return false }
        headers = HTTPHeaders(
            headers.map { name, value in
                let end = value.utf8.lastIndex { !isSpace($0) }
                return (name, end.map { String(value[...$0]) } ?? "")
            })
        return true
    }

    /// Whether this may become a WebSocket, which needs its `Connection` as it is; HTTP/1.0 has no upgrades.
    fileprivate var offersSocket: Bool {
        version.minor >= 1 && headers[canonicalForm: "upgrade"].contains { $0.lowercased() == "websocket" }
            && headers[canonicalForm: "connection"].contains { $0.lowercased() == "upgrade" }
    }

    /// Whether the client waits for 100 before it sends the body.
    fileprivate var awaitsContinue: Bool {
        version.minor >= 1 && headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
            && (headers.contains(name: "content-length") || headers.contains(name: "transfer-encoding"))
    }

    /// The reason that a server must refuse this request; `nil` if it need not.
    fileprivate var violation: String? {
        if method == .CONNECT {
            // The bytes behind it are not HTTP (RFC 9110 §9.3.6), and where they begin is not agreed upon if it has a
            // length.
            return "CONNECT is not supported, since this is no proxy"
        }
        return hostViolation ?? codingViolation
    }

    /// RFC 9112 §3.2.
    private var hostViolation: String? {
        let hosts = headers["host"]
        guard let host = hosts.first else { return version.minor >= 1 ? "the header Host is missing" : nil }
        guard hosts.count == 1 else { return "there is more than one header Host" }
        return host.utf8.allSatisfy(\.isInHost) ? nil : "the header Host is not a host with or without a port"
    }

    /// RFC 9112 §6.1 and §6.3: a proxy in front may not agree where such a body ends.
    private var codingViolation: String? {
        let codings = headers["transfer-encoding"]
        guard !codings.isEmpty else { return nil }
        guard version.minor >= 1 else { return "HTTP/1.0 has no Transfer-Encoding" }
        guard codings.count == 1, codings[0].lowercased() == "chunked" else {
            return "Transfer-Encoding must be chunked"
        }
        return nil
    }
}

extension UInt8 {
    /// Whether a host with a port may have this character (RFC 3986 §3.2.2): not `@`, a space, or a delimiter of what
    /// follows a host.
    fileprivate var isInHost: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~!$&'()*+,;=%:[]".utf8.contains(self)
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
