import Logging
import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyModel
import ParleySession
import ParleyWire

/// One WebSocket, after the upgrade: the only handler in its pipeline.
///
/// - takes bytes apart into messages and messages into commands, and asks its `Session` what to do;
/// - performs what the session answers: appends, look-ups, replies, closes;
/// - writes what the roster hands it, within the bound of what may wait for one socket;
/// - answers pings, sends its own, and ends a connection that shows no sign of life.
///
/// Bound to its event loop; it holds no task and no timer of its own while it is idle.
final class SocketHandler: ChannelInboundHandler, Heartbeating {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Seconds between two pings; the first comes at a random moment of the first period.
    private static let pingInterval: Int64 = 25
    /// Seconds without any frame after which a client is dead.
    private static let silenceLimit: Int64 = 35

    let gateway: Gateway
    private let admission: Admission
    private var local: LocalUser?
    var session: Session
    private(set) var context: ChannelHandlerContext?
    private var parser: WebSocketFrameParser
    private var budget: OutboundBudget
    private var lastSign: Int64 = 0
    private var lastPing: Int64 = 0
    private var hasUnflushed = false
    private var isClosing = false
    /// The thread that a send waits for until its membership is live here.
    private var awaitedThread: ThreadID?

    init(gateway: Gateway, admission: Admission) throws {
        self.gateway = gateway
        self.admission = admission
        session = Session(textLimit: gateway.settings.limits.textScalars)
        budget = OutboundBudget(limit: gateway.settings.limits.outboundBytes)
        parser = WebSocketFrameParser(
            maximumBytes: gateway.settings.limits.frameBytes, compression: admission.encoding.compressed)
    }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        local = gateway.fanOut.roster(admission.loop).register(self, of: admission.identity.user.id)
        lastSign = HeartbeatWheel.seconds(context.eventLoop)
        // Two pings are never due in the same second for clients that came in together.
        lastPing = lastSign - Int64.random(in: 0..<Self.pingInterval)
        gateway.heartbeats(admission.loop)?.add(self, after: Self.pingInterval + lastPing - lastSign)
        if local == nil { close(.goingAway) }
        logger.debug("socket opened", metadata: ["dialect": "\(admission.encoding.dialect)"])
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
        lastSign = HeartbeatWheel.seconds(context.eventLoop)
        parser.append(&bytes)
        drainParser()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(in: gateway.drainDelay()) { bound.value.close(.goingAway) }
        } else if case ChannelEvent.inputClosed? = event as? ChannelEvent {
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    private func leave() {
        guard context != nil else { return }
        context = nil
        isClosing = true
        session.closed()
        if let local {
            self.local = nil
            gateway.fanOut.roster(admission.loop).unregister(self, of: local)
        } else {
            gateway.fanOut.roster(admission.loop).cancelReservation(admission.identity.user.id)
        }
        gateway.dismiss(admission)
        logger.debug("socket closed")
    }

    private var logger: Logger {
        var logger = gateway.logger
        logger[metadataKey: "connection_id"] = "\(admission.connection)"
        logger[metadataKey: "user"] = "\(admission.identity.user.id)"
        return logger
    }

    // MARK: Frames in

    private func drainParser() {
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
            writeAndFlush(WebSocketFrame.pong(payload))
        case .pong:
            break
        case .close(let code):
            // RFC 6455 §5.5.1: the answer repeats the code.
            finish(WebSocketFrame.close(code: code ?? 1000, reason: ""), code: nil)
        }
    }

    private func decode(_ payload: ByteBuffer) throws(CommandFlaw) -> ClientCommand {
        switch admission.encoding.dialect {
        case .classic: try ClassicCodec.decode(payload)
        case .direct: try DirectCodec.decode(payload)
        case .line: throw .unknownCommand("")
        }
    }

    // MARK: Session

    func perform(_ action: Session.Action) {
        switch action {
        case .append(let message): append(message)
        case .findUser(let name): findUser(name)
        case .findThread(let thread): findThread(thread)
        case .markRead(let thread): gateway.readMarks.markRead(thread, by: admission.identity.user.id)
        case .replyUnknownUser(let name):
            writeAndFlush(
                WebSocketFrame.text(DirectCodec.unknownUser(name), compressed: admission.encoding.compressed))
        case .wake(let delay): wake(after: delay)
        case .pauseReading: setAutoRead(false)
        case .resumeReading:
            setAutoRead(true)
            drainParser()
        case .drop(let reason): gateway.metrics.dropped(reason)
        case .close(let reason): close(reason)
        }
    }

    // MARK: Sends

    private func append(_ outgoing: OutgoingMessage) {
        let (gateway, user, membership) = (gateway, user, outgoing.membership)
        let isNewThread = local?.memberships[membership.thread.id] == nil
        append(outgoing) { receipt in
            if isNewThread { gateway.announce(membership, of: user, at: receipt) }
        }
    }

    private func findUser(_ name: String) {
        let directory = gateway.directory
        ask({ try await directory.user(named: name) }) { handler, answer in
            guard handler.context != nil else { return }
            handler.perform { session, now, actions in
                switch answer {
                case .some(let user): session.resolvedUser(user, at: now, handler, &actions)
                case nil: session.lookUpFailed(at: now, handler, &actions)
                }
            }
        }
    }

    /// The user may have become a member just now, and the news is still on its way.
    private func findThread(_ thread: ThreadID) {
        let (gateway, user) = (gateway, admission.identity.user.id)
        ask({ () -> (Membership, Int64)? in
            let memberships = try await gateway.directory.memberships(of: user, fresh: true)
            guard let membership = memberships.first(where: { $0.thread.id == thread }) else { return nil }
            return (membership, try await gateway.log.head(of: thread)?.position.seq ?? 0)
        }) { handler, answer in
            guard handler.context != nil else { return }
            switch answer {
            case .some(.some((let membership, let head))):
                handler.awaitedThread = thread
                handler.gateway.fanOut.adopt(user, membership, after: head)
                handler.later(.seconds(5)) { $0.stopAwaiting(thread) }
                // It may have come true in the meantime, and then nobody would say so again.
                handler.membershipsChanged()
            case .some(.none):
                handler.perform { $0.resolvedThread(nil, at: $1, handler, &$2) }
            case nil:
                handler.perform { $0.lookUpFailed(at: $1, handler, &$2) }
            }
        }
    }

    private func stopAwaiting(_ thread: ThreadID) {
        guard awaitedThread == thread else { return }
        awaitedThread = nil
        perform { $0.lookUpFailed(at: $1, self, &$2) }
    }

    // MARK: RosterMember

    var connection: ConnectionID { admission.connection }
    var encoding: Encoding { admission.encoding }
    var sessionToken: TokenHash? { admission.identity.session }

    func deliver(_ bytes: ByteBuffer, count: Int) {
        guard let context, !isClosing else { return }
        guard budget.take(bytes.readableBytes, waiting: { context.waitingBytes }) else {
            gateway.metrics.cutOffSlowSocket()
            return close(.lostTrack)
        }
        gateway.metrics.sent(bytes: bytes.readableBytes)
        hasUnflushed = true
        context.write(wrapOutboundOut(bytes), promise: nil)
    }

    func flush() {
        guard hasUnflushed else { return }
        hasUnflushed = false
        context?.flush()
    }

    func membershipsChanged() {
        guard let thread = awaitedThread, let membership = local?.memberships[thread] else { return }
        awaitedThread = nil
        perform { $0.resolvedThread(membership, at: $1, self, &$2) }
    }

    func sessionRevoked() {
        close(.sessionRevoked)
    }

    // MARK: Heartbeat

    func heartbeat(at now: Int64) -> Int64? {
        guard context != nil else { return nil }
        if now - lastSign >= Self.silenceLimit {
            context?.close(promise: nil)
            return nil
        }
        if let expires = admission.identity.expires, gateway.clock.milliseconds >= expires {
            close(.expired)
            return nil
        }
        if now - lastPing >= Self.pingInterval {
            lastPing = now
            writeAndFlush(WebSocketFrame.ping())
        }
        let nextPing = lastPing + Self.pingInterval - now
        let nextVerdict = lastSign + Self.silenceLimit - now
        return max(1, min(nextPing, nextVerdict))
    }

    // MARK: Frames out

    private func writeAndFlush(_ frame: ByteBuffer) {
        guard let context, !isClosing else { return }
        // Control frames and errors are small and few; they go out whatever waits.
        _ = budget.take(frame.readableBytes, waiting: { context.waitingBytes })
        gateway.metrics.sent(bytes: frame.readableBytes)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    private func close(_ reason: CloseReason) {
        finish(WebSocketFrame.close(code: reason.code, reason: reason.text), code: reason.code)
    }

    /// Sends the last frame and ends the connection; a client that does not read it is cut off after a while.
    private func finish(_ frame: ByteBuffer, code: UInt16?) {
        guard let context, !isClosing else { return }
        isClosing = true
        session.closed()
        if let code {
            gateway.metrics.closed(code: code)
            logger.debug("socket closed by the server", metadata: ["code": "\(code)"])
        }
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(frame)).whenComplete { _ in channel.close(promise: nil) }
        context.eventLoop.scheduleTask(in: .seconds(5)) { channel.close(promise: nil) }
    }
}

extension SocketHandler: SessionOwner {
    var user: User { admission.identity.user }

    func membership(of thread: ThreadID) -> Membership? {
        local?.memberships[thread]
    }

    func directMembership(withUserNamed name: String) -> Membership? {
        local?.directMembership(withUserNamed: name)
    }

    func takeSend(at now: Int64) -> Int64 {
        admission.rate.take(at: now)
    }
}
