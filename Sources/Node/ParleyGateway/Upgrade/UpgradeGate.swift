import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import ParleyAccounts

/// Routes the requests of a connection, behind the `RequestDecoder`:
///
/// - a request for a path of the WebSocket endpoint waits for the decision of `AdmissionControl`; then it is rejected
///   by an HTTP response, or gets 101 and a `SocketDetacher` replaces the gate. Any request of a connection may be a
///   handshake, since proxies reuse connections;
/// - other requests go to the HTTP handlers, which are added with the first such request;
/// - a connection that sends no request in time, or waits too long for the decision, is closed.
///
/// NIO's upgrade handlers are not used: they consume the request head and so cannot reject a handshake.
///
/// Bound to its event loop.
final class UpgradeGate: ChannelDuplexHandler, RemovableChannelHandler, Heartbeating {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart
    typealias HTTPChannel = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    enum State {
        /// The head of the next request is awaited.
        case waiting
        /// A request is being passed to the HTTP handlers.
        case passing
        /// A handshake has arrived behind a request whose response is not complete; it cannot be upgraded before.
        case behind(UpgradeRequest, isComplete: Bool)
        /// The end of a handshake is awaited.
        case handshake(UpgradeRequest)
        /// The decision on a handshake is awaited.
        case deciding(UpgradeRequest)
        /// The client has its last response, or is gone, or is being detached: further input is discarded.
        case over
    }

    let control: AdmissionControl
    let services: ConnectionServices
    let loop: GatewayLoop
    /// In front of the gate.
    let decoder: RequestDecoder
    let http: EventLoopPromise<HTTPChannel>
    private let logger: Logger
    var state = State.waiting
    private var hasHTTP = false
    /// Requests that were passed on and whose response is not complete.
    private var unanswered = 0
    /// The handshake that waits behind them ends in the midst of it, by what cannot be parsed.
    private var isBroken = false
    private(set) var isQuiescing = false
    private(set) var context: ChannelHandlerContext?
    var place: HeartbeatWheel.Place?

    /// - Parameters:
    ///   - loop: of the channel.
    ///   - decoder: in front of the gate.
    ///   - http: completed with the HTTP end of the connection, or failed if there will be none.
    init(
        _ control: AdmissionControl, services: ConnectionServices, loop: GatewayLoop,
        decoder: RequestDecoder, http: EventLoopPromise<HTTPChannel>, logger: Logger
    ) {
        self.control = control
        self.services = services
        self.loop = loop
        self.decoder = decoder
        self.http = http
        self.logger = logger
    }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        loop.heartbeats.schedule(self, after: services.settings.handshakeTimeout)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        leave()
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    private func leave() {
        state = .over
        context = nil
        loop.heartbeats.remove(self)
        // The task that waits for the HTTP end of the connection must not wait forever.
        http.fail(ChannelError.eof)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let part = context.part(data, as: InboundIn.self) else { return }
        switch (part, state) {
        case (.head(let head), .waiting):
            begin(head, data, context: context)
        case (.end, .handshake(let request)):
            requestDecision(request)
        case (.end, .behind(let request, _)):
            state = .behind(request, isComplete: true)
            setAutoRead(false)
        case (.body, .passing):
            context.fireChannelRead(data)
        case (.end, .passing):
            state = .waiting
            context.fireChannelRead(data)
        default:
            // The body of a handshake, which has no meaning, or input behind one.
            break
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        context.write(data, promise: promise)
        guard case .end? = context.part(data, as: OutboundIn.self) else { return }
        unanswered -= 1
        if unanswered == 0, case .behind(let request, let isComplete) = state {
            state = .handshake(request)
            if isBroken { return reject(.badRequest("the HTTP request is malformed")) }
            if isComplete { requestDecision(request) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch state {
        case .over:
            break
        case .waiting where error is HTTPParserError && !hasHTTP, .handshake where error is HTTPParserError,
            .deciding where error is HTTPParserError:
            reject(.badRequest("the HTTP request is malformed"))
        case .behind(_, let isComplete) where error is HTTPParserError || error is ByteToMessageDecoderError:
            // The HTTP handlers would respond to it, in front of the response to the handshake. What is behind the
            // handshake gets no response.
            if !isComplete { isBroken = true }
        case .waiting where hasHTTP, .passing, .behind:
            context.fireErrorCaught(error)
        default:
            context.close(promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        let quiesces = event is ChannelShouldQuiesceEvent
        isQuiescing = isQuiescing || quiesces
        switch state {
        case .waiting where hasHTTP, .passing, .behind:
            context.fireUserInboundEventTriggered(event)
        case _ where event as? ChannelEvent == .inputClosed:
            context.close(promise: nil)
        case .waiting where quiesces:
            context.close(promise: nil)
        case .waiting, .handshake, .deciding, .over:
            // During a shutdown a handshake still gets a response, but no socket.
            if !quiesces { context.fireUserInboundEventTriggered(event) }
        }
    }

    func heartbeat(at now: Int64) -> Int64? {
        if case .deciding = state {
            reject(.undecided)
        } else {
            context?.close(promise: nil)
        }
        return nil
    }

    // MARK: Requests

    private func begin(_ head: HTTPRequestHead, _ data: NIOAny, context: ChannelHandlerContext) {
        if UpgradeRequest.isFor(head.uri, paths: services.settings.socketPaths) {
            let address = ClientAddress(
                peer: context.remoteAddress?.ipAddress, forwardedFor: head.headers["x-forwarded-for"],
                forwardedProto: [], trusted: services.settings.trustedProxies)
            let request = UpgradeRequest(head: head, address: address.text, isForwarded: address.isForwarded)
            // The end of a response may still be on its way here when the client has read all of it.
            state = unanswered == 0 ? .handshake(request) : .behind(request, isComplete: false)
            decoder.next = .frames
            return
        }
        do {
            try addHTTP(context: context)
        } catch {
            return context.close(promise: nil)
        }
        state = .passing
        unanswered += 1
        context.fireChannelRead(data)
    }

    /// Adds the HTTP handlers, and starts their task.
    private func addHTTP(context: ChannelHandlerContext) throws {
        guard !hasHTTP else { return }
        hasHTTP = true
        loop.heartbeats.remove(self)
        let pipeline = context.pipeline.syncOperations
        try pipeline.addHandler(WholeTarget())
        try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
        try pipeline.addHandler(RequestDeadlines(services.settings.requestLimits))
        try pipeline.addHandler(
            HTTPConnectionStateHandler(idleTimeout: .init(services.settings.idleTimeout), logger: logger))
        http.succeed(
            try HTTPChannel(
                wrappingChannelSynchronously: context.channel,
                configuration: .init(isOutboundHalfClosureEnabled: true)))
    }
}
