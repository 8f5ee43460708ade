import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket
import ParleyAccounts
import ParleyModel

/// Looks at the first request of a connection:
///
/// - for another path than the WebSocket door's it builds the HTTP pipeline and goes;
/// - for the door it waits for the decision, then refuses by an HTTP answer, or answers 101 and puts a `SocketHandler`
///   in the place of everything that was there;
/// - a connection that sends no request in time is closed.
///
/// NIO's own upgrade handlers are not used: they cannot refuse, since they swallow the head of the request.
final class UpgradeGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private enum State {
        case awaitingHead(deadline: Scheduled<Void>?)
        case awaitingEnd(UpgradeRequest, deadline: Scheduled<Void>?)
        case deciding
        case done
    }

    private let gateway: Gateway
    private let kind: EventLoopPromise<GatewayChannel.Kind>
    private let logger: Logger
    private var state = State.awaitingHead(deadline: nil)

    init(gateway: Gateway, kind: EventLoopPromise<GatewayChannel.Kind>, logger: Logger) {
        self.gateway = gateway
        self.kind = kind
        self.logger = logger
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        let deadline = context.eventLoop.scheduleTask(in: gateway.settings.handshakeTimeout) {
            channel.close(promise: nil)
        }
        state = .awaitingHead(deadline: deadline)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
    }

    /// Whoever waits for what becomes of the connection must not wait for ever.
    private func end() {
        switch state {
        case .awaitingHead(let deadline), .awaitingEnd(_, let deadline):
            deadline?.cancel()
            kind.fail(ChannelError.eof)
        case .deciding, .done: break
        }
        state = .done
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), state) {
        case (.head(let head), .awaitingHead(let deadline)):
            if UpgradeRequest.isFor(head.uri, paths: gateway.settings.socketPaths) {
                let address = ClientAddress(
                    peer: context.remoteAddress?.ipAddress, forwardedFor: head.headers["x-forwarded-for"],
                    forwardedProto: [], trusted: gateway.settings.trustedProxies)
                state = .awaitingEnd(UpgradeRequest(head: head, address: address.text), deadline: deadline)
            } else {
                deadline?.cancel()
                becomeHTTP(context: context, data)
            }
        case (.end, .awaitingEnd(let request, let deadline)):
            deadline?.cancel()
            askForDecision(context: context, request)
        default:
            // The body of a handshake, which has no meaning, or a second request behind it.
            break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError, case .awaitingHead = state else {
            return context.close(promise: nil)
        }
        refuse(context: context, .badRequest("this is no HTTP request that can be read"))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            if case .awaitingHead = state { context.close(promise: nil) }
        } else if case ChannelEvent.inputClosed? = event as? ChannelEvent {
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    // MARK: HTTP

    private func becomeHTTP(context: ChannelHandlerContext, _ head: NIOAny) {
        state = .done
        do {
            let pipeline = context.pipeline.syncOperations
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandler(
                HTTPConnectionStateHandler(idleTimeout: .init(gateway.settings.idleTimeout), logger: logger))
            let channel = try NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>(
                wrappingChannelSynchronously: context.channel,
                configuration: .init(isOutboundHalfClosureEnabled: true))
            kind.succeed(.http(channel))
            context.fireChannelRead(head)
            pipeline.removeHandler(self, promise: nil)
        } catch {
            kind.fail(error)
            context.close(promise: nil)
        }
    }

    // MARK: WebSocket

    private func askForDecision(context: ChannelHandlerContext, _ request: UpgradeRequest) {
        state = .deciding
        let decided = context.eventLoop.makePromise(of: Result<Admission, Refusal>.self)
        let (gateway, bound) = (gateway, NIOLoopBound((self, context), eventLoop: context.eventLoop))
        decided.futureResult.whenSuccess { result in
            let (gate, context) = bound.value
            switch (result, context.channel.isActive) {
            case (.success(let admission), true):
                gate.upgrade(context: context, request, admission)
            case (.success(let admission), false):
                gateway.withdraw(admission)
            case (.failure(let refusal), _):
                gate.refuse(context: context, refusal)
            }
        }
        kind.succeed(.handshake(request, decided: decided))
    }

    private func refuse(context: ChannelHandlerContext, _ refusal: Refusal) {
        if case .awaitingHead(let deadline) = state {
            deadline?.cancel()
            kind.fail(refusal)
        }
        state = .done
        gateway.metrics.answeredHandshake(status: Int(refusal.status.code))
        let requestID = UUIDv7(gateway.clock).description
        logger.debug(
            "handshake refused", metadata: ["status": "\(refusal.status.code)", "request_id": "\(requestID)"])
        let body = refusal.body
        let head = refusal.head(bodyLength: body.readableBytes, requestID: requestID)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    private func upgrade(context: ChannelHandlerContext, _ request: UpgradeRequest, _ admission: Admission) {
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
        let (gateway, bound) = (gateway, NIOLoopBound((self, context), eventLoop: context.eventLoop))
        headers.whenComplete { result in
            let (gate, context) = bound.value
            switch result {
            case .success(let headers):
                gate.switchProtocols(context: context, headers, admission)
            case .failure:
                gateway.withdraw(admission)
                gate.refuse(context: context, .badRequest("this is no WebSocket handshake"))
            }
        }
    }

    private func switchProtocols(context: ChannelHandlerContext, _ headers: HTTPHeaders, _ admission: Admission) {
        state = .done
        var headers = headers
        if !headers.contains(name: "connection") { headers.add(name: "Connection", value: "upgrade") }
        if !headers.contains(name: "upgrade") { headers.add(name: "Upgrade", value: "websocket") }
        let head = HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        do {
            let pipeline = context.pipeline.syncOperations
            try pipeline.addHandler(try SocketHandler(gateway: gateway, admission: admission))
            gateway.metrics.answeredHandshake(status: 101)
            // The decoder goes last: it hands what it has read of the first frame to the socket handler.
            pipeline.removeHandler(try pipeline.handler(type: HTTPResponseEncoder.self), promise: nil)
            pipeline.removeHandler(self, promise: nil)
            pipeline.removeHandler(
                try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self), promise: nil)
        } catch {
            gateway.withdraw(admission)
            context.close(promise: nil)
        }
    }
}
