import Logging
import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyModel
import ParleySession
import ParleyWire

/// One WebSocket, after the upgrade: the only handler in its pipeline that does anything.
///
/// - takes bytes apart into messages and messages into commands, and asks its `Session` what to do
///   (`SocketHandler+Session.swift` performs the answers);
/// - writes what the roster hands it, within the bound of what may wait for one socket (`SocketHandler+Delivery.swift`);
/// - answers pings, sends its own, and ends a connection that shows no sign of life;
/// - closes: says why, and waits a moment for the client to hang up.
///
/// Bound to its event loop; it holds no task and no timer of its own while it is idle.
final class SocketHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Seconds between two pings; the first comes at a random moment of the first period.
    private static let pingInterval: Int64 = 25
    /// Seconds without any frame after which a client is dead.
    private static let silenceLimit: Int64 = 35

    let gateway: Gateway
    let admission: Admission
    /// What the roster knows of the user, from its registration there to its end.
    private(set) var local: LocalUser?
    var session: Session
    private(set) var context: ChannelHandlerContext?
    private var parser: WebSocketFrameParser
    var budget: OutboundBudget
    private var lastSign: Int64 = 0
    private var lastPing: Int64 = 0
    var place: HeartbeatWheel.Place?
    /// Something was written for the roster since its last `flush`.
    var hasUnflushed = false
    /// The last frame was sent: nothing is written any more, and what comes in is thrown away.
    private(set) var isClosing = false
    /// The thread that a send waits for until its membership is live here.
    var awaitedThread: ThreadID?

    init(gateway: Gateway, admission: Admission) {
        self.gateway = gateway
        self.admission = admission
        session = Session(textLimit: gateway.settings.limits.textScalars)
        budget = OutboundBudget(limit: gateway.settings.limits.outboundBytes)
        parser = WebSocketFrameParser(
            maximumBytes: gateway.settings.limits.frameBytes, compression: admission.encoding.compressed)
    }

    /// The connection can be written to.
    var openContext: ChannelHandlerContext? { isClosing ? nil : context }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        lastSign = HeartbeatWheel.seconds(context.eventLoop)
        // Two pings are never due in the same second for clients that came in together.
        lastPing = lastSign - Int64.random(in: 0..<Self.pingInterval)
        heartbeats.schedule(self, after: Self.pingInterval + lastPing - lastSign)
        gateway.debug("socket opened", facts(["dialect": "\(admission.encoding.dialect)"]))
        local = gateway.fanOut.roster(admission.loop).register(self, of: admission.identity.user.id)
        if local == nil { close(.goingAway) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        leave()
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        gateway.metrics.received(bytes: bytes.readableBytes)
        guard !isClosing else { return }
        lastSign = HeartbeatWheel.seconds(context.eventLoop)
        parser.append(&bytes)
        drainParser()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            later(gateway.drainDelay()) { $0.close(.goingAway) }
        } else if case ChannelEvent.inputClosed? = event as? ChannelEvent {
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// The connection is gone: gives back all that it had, once.
    private func leave() {
        guard context != nil else { return }
        context = nil
        retire()
        heartbeats.remove(self)
        gateway.dismiss(admission)
        gateway.debug("socket closed", facts([:]))
    }

    /// Takes no more part in anything: neither sends nor is delivered to.
    private func retire() {
        isClosing = true
        session.closed()
        if let local {
            self.local = nil
            gateway.fanOut.roster(admission.loop).unregister(self, of: local)
        }
    }

    private var heartbeats: HeartbeatWheel { gateway.heartbeats(admission.loop) }

    private func facts(_ more: Logger.Metadata) -> Logger.Metadata {
        more.merging([
            "connection_id": "\(admission.connection)", "user": "\(admission.identity.user.id)",
        ]) { own, _ in own }
    }

    // MARK: Frames in

    /// Takes in what has come, as far as the session wants it.
    func drainParser() {
        while session.isReading, !isClosing {
            do {
                guard let input = try parser.next() else { return }
                receive(input)
            } catch {
                return close(CloseReason(code: error.closeCode, text: error.explanation))
            }
        }
    }

    private func receive(_ input: WebSocketInput) {
        switch input {
        case .text(let payload):
            let command = Result { () throws(CommandFlaw) in try decode(payload) }
            perform { session, now, actions in
                switch command {
                case .success(let command): session.received(command, at: now, self, &actions)
                case .failure(let flaw): session.received(flaw, at: now, &actions)
                }
            }
        case .ping(let payload):
            reply(WebSocketFrame.pong(payload))
        case .pong:
            break
        case .close(let code):
            answerClose(code)
        }
    }

    private func decode(_ payload: ByteBuffer) throws(CommandFlaw) -> ClientCommand {
        switch admission.encoding.dialect {
        case .classic: try ClassicCodec.decode(payload)
        case .direct: try DirectCodec.decode(payload)
        case .line, .v1: throw .unknownCommand("")
        }
    }

    // MARK: Close

    /// Ends the connection from our side.
    ///
    /// Says why, says that nothing follows, and then throws away what still comes until the client hangs up: closing
    /// with bytes unread would make the client's kernel throw away what it has not read, the reason with it. A client
    /// that does not hang up is cut off after `GatewaySettings.farewellTimeout`.
    func close(_ reason: CloseReason) {
        guard let context, !isClosing else { return }
        retire()
        setAutoRead(true)
        heartbeats.schedule(self, after: gateway.settings.farewellTimeout)
        gateway.metrics.closed(code: reason.code)
        gateway.debug("socket closed by the server", facts(["code": "\(reason.code)"]))
        let frame = WebSocketFrame.close(code: reason.code, reason: reason.text)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
        context.close(mode: .output, promise: nil)
    }

    /// The client closes. It sends nothing after that, so the connection can end with our answer, which repeats the
    /// code (RFC 6455 §5.5.1).
    private func answerClose(_ code: UInt16?) {
        guard let context, !isClosing else { return }
        retire()
        heartbeats.schedule(self, after: gateway.settings.farewellTimeout)
        let frame = code.map { WebSocketFrame.close(code: $0, reason: "") } ?? WebSocketFrame.close()
        context.writeAndFlush(wrapOutboundOut(frame)).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }
}

extension SocketHandler: Heartbeating {
    func heartbeat(at now: Int64) -> Int64? {
        guard let context else { return nil }
        if isClosing {
            context.close(promise: nil)
            return nil
        }
        if now - lastSign >= Self.silenceLimit {
            // While nothing is read it is not the client who is silent: what its sends wait for does not come.
            close(session.isReading ? .silent : .unavailable)
            return nil
        }
        if let expires = admission.identity.expires, gateway.clock.milliseconds >= expires {
            close(.expired)
            return nil
        }
        if now - lastPing >= Self.pingInterval {
            lastPing = now
            reply(WebSocketFrame.ping())
            // Too much may have been waiting for one more frame.
            guard !isClosing else { return nil }
        }
        let nextPing = lastPing + Self.pingInterval - now
        let nextVerdict = lastSign + Self.silenceLimit - now
        return min(nextPing, nextVerdict)
    }
}
