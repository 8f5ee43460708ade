import Logging
import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyMessaging
import ParleyModel
import ParleySession
import ParleyWire

/// One connection of the line door.
///
/// - cuts bytes into lines, at line ends or after 100 ms of silence;
/// - gets the guest a name by a `LineSession`, takes them into the lobby, and says so there;
/// - passes what they say to a `Session`, so that rate, order and outages are as for everybody;
/// - writes what the roster hands it, within the bound of what may wait for one socket.
///
/// Bound to its event loop.
final class LineHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let connection: ConnectionID
    let encoding = Encoding(dialect: .line, compressed: false)
    let sessionToken: TokenHash? = nil
    let gateway: Gateway
    private let membership: Membership
    private let loop: Int
    private var splitter = LineSplitter()
    private var line = LineSession()
    var session: ClassicSession
    private(set) var context: ChannelHandlerContext?
    private var budget: OutboundBudget
    private var guest: Guest?
    /// When the last bytes came.
    private(set) var lastRead = NIODeadline.now()
    private var isWaitingForSilence = false
    private var isReadPaused = false
    private var hasUnflushed = false
    private var isEntering = false

    /// Who the connection speaks for, once it has a name and a place in the lobby.
    private struct Guest {
        let user: User
        let budgets: UserBudgets
        let local: LocalUser
    }

    init(gateway: Gateway, lobby: ThreadInfo, loop: Int) {
        self.gateway = gateway
        self.loop = loop
        membership = Membership(thread: lobby, role: .member)
        connection = .make(gateway.clock)
        session = ClassicSession()
        budget = OutboundBudget(limit: gateway.settings.limits.outboundBytes)
    }

    // MARK: Channel

    var eventLoop: (any EventLoop)? { context?.eventLoop }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
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
        lastRead = context.eventLoop.now
        splitter.append(&bytes)
        drainLines()
        gateway.metrics.handledRead(in: .now() - lastRead)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func leave() {
        guard context != nil else { return }
        context = nil
        session.closed()
        let name = line.name
        if let guest {
            self.guest = nil
            gateway.fanOut.roster(loop).unregister(self, of: guest.local)
            gateway.fanOut.forget(encoding)
            gateway.budgets.release(guest.user.id)
            gateway.bus.publish(.guestLeft(guest.user.name), in: membership.thread.id)
        }
        // A name that is being claimed is given back when the answer comes.
        if let name, !isEntering { release(name) }
    }

    private func release(_ name: String) {
        let (gateway, connection) = (gateway, connection)
        _ = gateway.work.submit { await gateway.guestNames.release(name, by: connection) }
    }

    // MARK: Lines in

    private var silence: TimeAmount { gateway.settings.lineSilence }

    private var isReading: Bool { line.isReading && session.isReading && !isEntering && context != nil }

    /// Takes in what has come, as far as it is wanted now; what is not stays in the client's kernel.
    private func drainLines() {
        while isReading, let item = splitter.next() { receive(item) }
        if isReading == isReadPaused {
            isReadPaused.toggle()
            try? context?.channel.syncOptions?.setOption(.autoRead, value: !isReadPaused)
        }
        if splitter.isMidLine, isReading { waitForSilence(silence) }
    }

    /// One timer at a time, whatever comes meanwhile: it looks again for as long as bytes keep coming.
    private func waitForSilence(_ time: TimeAmount) {
        guard !isWaitingForSilence else { return }
        isWaitingForSilence = true
        later(time) { handler in
            handler.isWaitingForSilence = false
            guard handler.splitter.isMidLine, handler.isReading, let loop = handler.context?.eventLoop else { return }
            let rest = handler.lastRead + handler.silence - loop.now
            if rest > .zero { return handler.waitForSilence(rest) }
            if let item = handler.splitter.flush() { handler.receive(item) }
            handler.drainLines()
        }
    }

    private func receive(_ item: LineSplitter.Item) {
        switch item {
        case .tooLong:
            reply(.lineTooLong)
        case .line(let bytes):
            // A line without anything is what an empty `msg:` is not: a slip of the Enter key.
            guard bytes.readableBytes > 0 else { return }
            do {
                perform(line.received(try LineCodec.decode(bytes)))
            } catch {
                reply(LineError(error))
            }
        }
    }

    private func reply(_ error: LineError) {
        gateway.metrics.dropped(error.dropReason)
        write(LineCodec.encode(error))
        context?.flush()
    }

    private func perform(_ action: LineSession.Action) {
        switch action {
        case .claim(let name): claim(name)
        case .enter(let name): enter(name)
        case .reply(let error): reply(error)
        case .say(let text):
            perform { [membership] session, now, actions in
                if let reason = rejection(of: text) { return session.refused(reason, at: now, &actions) }
                session.received(.send(thread: membership.thread.id, text: text), at: now, self, &actions)
            }
        }
    }

    // MARK: Names

    private func claim(_ name: String) {
        let (gateway, connection) = (gateway, connection)
        ask({ () -> Bool in
            guard try await gateway.directory.user(named: name) == nil else { return false }
            return await gateway.guestNames.claim(name, for: connection)
        }) { handler, isTheirs in
            guard handler.context != nil else {
                if isTheirs == true { handler.release(name) }
                return
            }
            if let action = handler.line.claimed(isTheirs ?? false) { handler.perform(action) }
            handler.drainLines()
        }
    }

    private func enter(_ name: String) {
        isEntering = true
        let (gateway, loop, encoding, membership) = (gateway, loop, encoding, membership)
        let user = User(id: GuestID.make(name: name), name: name)
        ask({
            // A guest is in the lobby, and in no store.
            try await gateway.fanOut.admit(user, on: loop, encoding: encoding) { _ in
                UserSnapshot(user: user, version: 0, credentialsVersion: 0, memberships: [membership])
            }
        }) { handler, reply in
            handler.entered(user, isAdmitted: reply != nil)
        }
    }

    private func entered(_ user: User, isAdmitted: Bool) {
        isEntering = false
        guard let context else {
            if isAdmitted {
                gateway.fanOut.roster(loop).cancelReservation(user.id)
                gateway.fanOut.forget(encoding)
            }
            return release(user.name)
        }
        guard isAdmitted, let local = gateway.fanOut.roster(loop).register(self, of: user.id) else {
            if isAdmitted { gateway.fanOut.forget(encoding) }
            // The lobby cannot be had now; the client is to come again.
            return context.close(promise: nil)
        }
        guest = Guest(user: user, budgets: gateway.budgets.retain(user.id), local: local)
        gateway.bus.publish(.guestJoined(user.name), in: membership.thread.id)
        drainLines()
    }

    // MARK: Session

    func perform(_ action: ClassicSession.Action) {
        switch action {
        case .append(let message): append(message) { _ in }
        case .wake(let delay): wake(after: delay)
        // Whether to read depends on more than the session.
        case .pauseReading, .resumeReading: drainLines()
        case .drop(let reason): gateway.metrics.dropped(reason)
        case .close: context?.close(promise: nil)
        // A guest is in the lobby and nowhere else, so there is nobody and nothing to look up.
        case .findUser, .findThread, .replyUnknownUser, .markRead: break
        }
    }

    // MARK: RosterMember

    func deliver(_ frames: FrameBatch, in thread: ThreadID) {
        write(frames.bytes)
        hasUnflushed = true
    }

    private func write(_ bytes: ByteBuffer) {
        guard let context else { return }
        guard budget.take(bytes.readableBytes, waiting: { context.waitingBytes }) else {
            gateway.metrics.cutOffSlowSocket()
            return context.close(promise: nil)
        }
        gateway.metrics.sent(bytes: bytes.readableBytes)
        context.write(wrapOutboundOut(bytes), promise: nil)
    }

    func flush() {
        guard hasUnflushed else { return }
        hasUnflushed = false
        context?.flush()
    }

    func memberAdded(_ membership: Membership, after end: Position?) {}
    func memberRemoved(_ membership: Membership) {}
    func membershipsChanged() {}
    func stored(_ thread: ThreadID, seq: Int64, epoch: Epoch?) {}
    func renumbered(_ thread: ThreadID, _ renumbering: Renumbering) {}
    /// The lobby has no backlog.
    func lostTrack(of thread: ThreadID) {}
    func sessionRevoked() {}
}

extension LineHandler: SessionOwner {
    var user: User { guest?.user ?? User(id: GuestID.make(name: ""), name: "") }
    func membership(of thread: ThreadID) -> Membership? { thread == membership.thread.id ? membership : nil }
    func directMembership(withUserNamed name: String) -> Membership? { nil }
    func take(_ kind: BudgetKind, at now: Int64) -> Permit {
        guest?.budgets.take(kind, at: now) ?? .granted
    }
}

extension LineError {
    fileprivate var dropReason: DropReason {
        switch self {
        case .badText: .badText
        case .lineTooLong: .textTooLong
        case .unknownCommand: .unknownCommand
        default: .malformed
        }
    }
}
