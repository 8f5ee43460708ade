import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket
import ParleyAccounts
import ParleyFanOut
import ParleyModel

/// Stands between the HTTP decoder and everything else, and looks at the head of each request:
///
/// - for another path than the WebSocket door's it lets the request pass to the HTTP handlers, which it puts there when
///   the first such request comes;
/// - for the door it waits for the decision, then refuses by an HTTP answer, or answers 101 and puts a `SocketDetacher` in
///   its own place. This may be any request of a connection: proxies use connections again for whatever comes next;
/// - a connection that sends no request in time, or waits too long for a decision, is closed.
///
/// NIO's own upgrade handlers are not used: they cannot refuse, since they swallow the head of the request.
///
/// Bound to its event loop.
final class UpgradeGate: ChannelDuplexHandler, RemovableChannelHandler, Heartbeating {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart
    typealias HTTPChannel = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    private enum State {
        /// For the head of the next request.
        case waiting
        /// A request is being passed on.
        case passing(HTTPRequestHead)
        /// A handshake has come behind a request that is not answered to its end; nothing can be upgraded before.
        case behind(UpgradeRequest, isComplete: Bool)
        /// A handshake has begun and its end has not come.
        case handshake(UpgradeRequest)
        /// It is not known yet whether the client may come in.
        case deciding(UpgradeRequest)
        /// The client has its last answer, or is gone, or has become a socket: what still comes is thrown away.
        case over
    }

    private let gateway: Gateway
    private let loop: Int
    /// The decoder in front of the gate. Kept, since by its type the pipeline may find one that is being removed.
    private var decoder: GatewayChannel.Decoder
    private let http: EventLoopPromise<HTTPChannel>
    private let logger: Logger
    private var state = State.waiting
    private var hasHTTP = false
    /// Requests that were passed on and have not been answered to the end.
    private var unanswered = 0
    private var isQuiescing = false
    private var context: ChannelHandlerContext?
    var place: HeartbeatWheel.Place?

    /// - Parameters:
    ///   - loop: the index of the channel's event loop.
    ///   - decoder: stands directly before the gate.
    ///   - http: gets the HTTP handlers' end of the connection, or an error when there will be none.
    init(
        gateway: Gateway, loop: Int, decoder: GatewayChannel.Decoder, http: EventLoopPromise<HTTPChannel>,
        logger: Logger
    ) {
        self.gateway = gateway
        self.loop = loop
        self.decoder = decoder
        self.http = http
        self.logger = logger
    }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        gateway.heartbeats(loop).schedule(self, after: gateway.settings.handshakeTimeout)
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
        gateway.heartbeats(loop).remove(self)
        // Whoever waits for what becomes of the connection must not wait for ever.
        http.fail(ChannelError.eof)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), state) {
        case (.head(let head), .waiting):
            begin(head, data, context: context)
        case (.end, .handshake(let request)):
            askForDecision(request)
        case (.end, .behind(let request, _)):
            state = .behind(request, isComplete: true)
            setAutoRead(false)
        case (.body, .passing):
            context.fireChannelRead(data)
        case (.end, .passing(let head)):
            state = .waiting
            context.fireChannelRead(data)
            if head.endsHTTP { replaceDecoder(context: context) }
        default:
            // The body of a handshake, which has no meaning, or what comes behind one.
            break
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        context.write(data, promise: promise)
        guard case .end = unwrapOutboundIn(data) else { return }
        unanswered -= 1
        if unanswered == 0, case .behind(let request, let isComplete) = state {
            state = .handshake(request)
            if isComplete { askForDecision(request) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch state {
        case .over:
            break
        case .waiting where error is HTTPParserError && !hasHTTP, .handshake where error is HTTPParserError:
            refuse(.badRequest("this is no HTTP request that can be read"))
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
            // At a shutdown a handshake still gets its answer; no socket any more.
            if !quiesces { context.fireUserInboundEventTriggered(event) }
        }
    }

    func heartbeat(at now: Int64) -> Int64? {
        if case .deciding = state {
            refuse(.undecided)
        } else {
            context?.close(promise: nil)
        }
        return nil
    }

    // MARK: Requests

    private func begin(_ head: HTTPRequestHead, _ data: NIOAny, context: ChannelHandlerContext) {
        if UpgradeRequest.isFor(head.uri, paths: gateway.settings.socketPaths) {
            let address = ClientAddress(
                peer: context.remoteAddress?.ipAddress, forwardedFor: head.headers["x-forwarded-for"],
                forwardedProto: [], trusted: gateway.settings.trustedProxies)
            let request = UpgradeRequest(head: head, address: address.text, isForwarded: address.isForwarded)
            // An answer's last part may still be on its way to here when the client has all it needs of it.
            state = unanswered == 0 ? .handshake(request) : .behind(request, isComplete: false)
            return
        }
        do {
            try addHTTP(context: context)
        } catch {
            return context.close(promise: nil)
        }
        state = .passing(head)
        unanswered += 1
        context.fireChannelRead(data)
    }

    /// Puts the HTTP handlers there, and their task to work.
    private func addHTTP(context: ChannelHandlerContext) throws {
        guard !hasHTTP else { return }
        hasHTTP = true
        gateway.heartbeats(loop).remove(self)
        let pipeline = context.pipeline.syncOperations
        try pipeline.addHandler(WholeTarget())
        try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
        try pipeline.addHandler(RequestDeadlines(gateway.settings.requestLimits))
        try pipeline.addHandler(
            HTTPConnectionStateHandler(idleTimeout: .init(gateway.settings.idleTimeout), logger: logger))
        http.succeed(
            try HTTPChannel(
                wrappingChannelSynchronously: context.channel,
                configuration: .init(isOutboundHalfClosureEnabled: true)))
    }

    /// The parser stops behind a request that offers another protocol, to leave the bytes of that protocol alone. Since
    /// nobody takes the offer up, what follows is HTTP again, for a parser that has not stopped.
    private func replaceDecoder(context: ChannelHandlerContext) {
        do {
            let pipeline = context.pipeline.syncOperations
            let stopped = try pipeline.context(handler: decoder)
            let next = GatewayChannel.makeDecoder()
            try pipeline.addHandler(next, position: .after(decoder))
            // Before the removal, which hands the bytes behind the request to the next decoder at once.
            decoder = next
            let removed = context.eventLoop.makePromise(of: Void.self)
            let channel = context.channel
            // The HTTP handlers act when a read is complete, which for those bytes nobody else would say.
            removed.futureResult.whenComplete { _ in channel.pipeline.fireChannelReadComplete() }
            pipeline.removeHandler(context: stopped, promise: removed)
        } catch {
            context.close(promise: nil)
        }
    }

    // MARK: Handshakes

    private func askForDecision(_ request: UpgradeRequest) {
        guard let context else { return }
        state = .deciding(request)
        // What the client sends meanwhile waits in its own kernel.
        setAutoRead(false)
        gateway.heartbeats(loop).schedule(self, after: gateway.settings.decisionTimeout)
        let (gateway, eventLoop) = (gateway, context.eventLoop)
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let isTaken = gateway.work.submit(on: gateway.executors[loop]) {
            let decision = await gateway.decide(request, on: eventLoop)
            eventLoop.execute { bound.value.decided(decision) }
        }
        if !isTaken { refuse(.undecided) }
    }

    private func decided(_ decision: Result<Admission, Rejection>) {
        switch (decision, state) {
        case (.success(let admission), .deciding) where isQuiescing || gateway.drains:
            gateway.withdraw(admission)
            refuse(.draining)
        case (.success(let admission), .deciding(let request)):
            accept(request, admission)
        case (.failure(let rejection), .deciding):
            refuse(rejection)
        case (.success(let admission), _):
            gateway.withdraw(admission)
        case (.failure, _):
            break
        }
    }

    /// Answers and hangs up: first our side only, since closing both with bytes unread would make the client's kernel
    /// throw the answer away.
    private func refuse(_ rejection: Rejection) {
        guard let context else { return }
        state = .over
        http.fail(ChannelError.eof)
        gateway.heartbeats(loop).schedule(self, after: gateway.settings.closeTimeout)
        gateway.metrics.answeredHandshake(status: Int(rejection.status.code))
        let requestID = UUIDv7(gateway.clock).description
        gateway.debug(
            "handshake refused", ["status": "\(rejection.status.code)", "request_id": "\(requestID)"])
        let body = rejection.body
        let head = rejection.head(bodyLength: body.readableBytes, requestID: requestID)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(mode: .output, promise: nil)
        setAutoRead(true)
    }

    private func accept(_ request: UpgradeRequest, _ admission: Admission) {
        guard let context else { return gateway.withdraw(admission) }
        var extra = HTTPHeaders([("X-Request-Id", admission.connection.text)])
        if let subprotocol = admission.subprotocol { extra.add(name: "Sec-WebSocket-Protocol", value: subprotocol) }
        if let extensions = admission.extensions { extra.add(name: "Sec-WebSocket-Extensions", value: extensions) }
        // Only for the answer's headers (the key's hash is inside); its pipeline is not ours.
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: gateway.settings.limits.frameBytes, automaticErrorHandling: false,
            shouldUpgrade: { [extra] channel, _ in channel.eventLoop.makeSucceededFuture(extra) },
            upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() })
        let headers = upgrader.buildUpgradeResponse(
            channel: context.channel, upgradeRequest: request.head, initialResponseHeaders: [:])
        headers.assumeIsolated().whenComplete { [self] result in
            switch result {
            case .success(let headers):
                switchProtocols(headers, admission)
            case .failure:
                gateway.withdraw(admission)
                refuse(.badRequest("this is no WebSocket handshake"))
            }
        }
    }

    private func switchProtocols(_ headers: HTTPHeaders, _ admission: Admission) {
        guard let context else { return gateway.withdraw(admission) }
        var headers = headers
        if !headers.contains(name: "connection") { headers.add(name: "Connection", value: "upgrade") }
        if !headers.contains(name: "upgrade") { headers.add(name: "Upgrade", value: "websocket") }
        let head = HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: headers)
        let pipeline = context.pipeline.syncOperations
        do {
            let encoder = try pipeline.context(handlerType: HTTPResponseEncoder.self)
            let decoder = try pipeline.context(handler: decoder)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            let written = context.eventLoop.makePromise(of: Void.self)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
            pipeline.removeHandler(context: encoder, promise: nil)
            let handOver = SocketDetacher(gateway: gateway, admission: admission)
            try pipeline.addHandler(handOver, position: .after(self))
            gateway.metrics.answeredHandshake(status: 101)
            // The decoder goes last: it hands over what it has read of the first frame. What is still in the kernel
            // stays there, since nothing is read now.
            let removed = context.eventLoop.makePromise(of: Void.self)
            let channel = context.channel
            removed.futureResult.and(written.futureResult).assumeIsolated().whenComplete { result in
                if case .success = result { handOver.finish() } else { channel.close(promise: nil) }
            }
            pipeline.removeHandler(self, promise: nil)
            pipeline.removeHandler(context: decoder, promise: removed)
        } catch {
            // The pipeline is being taken down, and nobody was put in who gives this back.
            gateway.withdraw(admission)
            context.close(promise: nil)
        }
    }

    private func setAutoRead(_ isOn: Bool) {
        try? context?.channel.syncOptions?.setOption(.autoRead, value: isOn)
    }
}

extension HTTPRequestHead {
    /// The parser takes what follows this request for another protocol (RFC 9110 §7.8, §9.3.6).
    fileprivate var endsHTTP: Bool {
        method == .CONNECT || headers.contains(name: "upgrade")
    }
}
