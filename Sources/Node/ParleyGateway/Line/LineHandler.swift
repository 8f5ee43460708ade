import Logging
import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyMessaging
import ParleyModel
import ParleySession
import ParleyWire

/// One connection of the line listener.
///
/// - splits bytes into lines, at line ends or after a silence of 100 ms;
/// - gives the guest a name by a `LineSession`, registers them in the lobby and announces them there;
/// - passes their lines to a `ClassicDriver`, so that rates, order and outages are handled as for other clients;
/// - writes what the roster delivers, within the bound of what may wait for one connection.
///
/// Bound to its event loop.
final class LineHandler: ChannelInboundHandler, LoopBound {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let id: ConnectionID
    let encoding = Encoding(dialect: .line, compressed: false)
    let services: ConnectionServices
    let loop: GatewayLoop
    private let names: any GuestNames
    let lobby: Membership
    private var splitter = LineSplitter()
    private var line = LineSession()
    private(set) var context: ChannelHandlerContext?
    private var budget: OutboundBudget
    private(set) var guest: Guest?
    private(set) var lastRead = NIODeadline.now()
    private var isWaitingForSilence = false
    private var isReadPaused = false
    var hasUnflushed = false
    private var isEntering = false

    /// The user of the connection, once it has a name and is in the lobby.
    struct Guest {
        let user: User
        /// The owner of the budgets.
        let budgetOwner: UserID
        let budgets: UserBudgets
        let local: LocalUser
        /// Refers back to the handler; `leave` breaks the cycle.
        let driver: ClassicDriver<LineHandler>
    }

    /// - Parameters:
    ///   - names: claims names over all nodes.
    ///   - lobby: the room of all guests.
    init(services: ConnectionServices, loop: GatewayLoop, names: any GuestNames, lobby: ThreadInfo) {
        self.services = services
        self.loop = loop
        self.names = names
        self.lobby = Membership(thread: lobby, role: .member)
        id = .make(services.clock)
        budget = OutboundBudget(limit: services.settings.limits.outboundBytes)
    }

    // MARK: Channel

    var isOpen: Bool { context != nil }

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
        services.telemetry.metrics.received(bytes: bytes.readableBytes)
        lastRead = context.eventLoop.now
        splitter.append(&bytes)
        drainLines()
        services.telemetry.metrics.handledRead(in: .now() - lastRead)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func leave() {
        guard isOpen else { return }
        context = nil
        if let guest {
            self.guest = nil
            guest.driver.closed()
            loop.connections.remove(self)
            loop.members.unregister(self, of: guest.local)
            services.delivery.fanOut.forget(encoding)
            services.limits.budgets.release(guest.budgetOwner)
            services.messaging.announce(.guestLeft(guest.user.name), in: lobby.thread.id)
        }
        // A name that is still being claimed is released when the reply comes.
        if let name = line.name, !isEntering { release(name) }
    }

    private func release(_ name: String) {
        loop.submit { [names, id] in await names.release(NameLook(of: name), by: id) }
    }

    // MARK: Lines in

    private var silence: TimeAmount { services.settings.lineSilence }

    private var isReading: Bool {
        line.isReading && (guest?.driver.isReading ?? true) && !isEntering && isOpen
    }

    /// Handles the received lines that the session accepts; the rest stays in the client's kernel.
    func drainLines() {
        while isReading, let item = splitter.next() { handle(item) }
        if isReading == isReadPaused {
            isReadPaused.toggle()
            try? context?.channel.syncOptions?.setOption(.autoRead, value: !isReadPaused)
        }
        if splitter.isMidLine, isReading { waitForSilence(silence) }
    }

    /// Ends an unfinished line after a silence. Uses one timer at a time, which is renewed while bytes keep coming.
    private func waitForSilence(_ time: TimeAmount) {
        guard !isWaitingForSilence else { return }
        isWaitingForSilence = true
        loop.later(time, for: self) { handler in
            handler.isWaitingForSilence = false
            guard handler.splitter.isMidLine, handler.isReading else { return }
            let rest = handler.lastRead + handler.silence - handler.loop.eventLoop.now
            if rest > .zero { return handler.waitForSilence(rest) }
            if let item = handler.splitter.flush() { handler.handle(item) }
            handler.drainLines()
        }
    }

    private func handle(_ item: LineSplitter.Item) {
        switch item {
        case .tooLong:
            reply(.lineTooLong)
        case .line(let bytes):
            // An empty line is ignored, other than an empty `msg:`.
            guard bytes.readableBytes > 0 else { return }
            do {
                perform(line.received(try checked(LineCodec.decode(bytes))))
            } catch {
                reply(LineError(error))
            }
        }
    }

    /// A guest's name in the form in which it is shown and compared.
    private func checked(_ command: ClientCommand) throws(CommandError) -> ClientCommand {
        guard case .introduce(let text) = command else { return command }
        guard let name = GuestNameRules.normalized(text) else { throw .badName }
        return .introduce(name: name)
    }

    private func reply(_ error: LineError) {
        services.telemetry.metrics.dropped(error.dropReason)
        write(LineCodec.encode(error))
        context?.flush()
    }

    private func perform(_ action: LineSession.Action) {
        switch action {
        case .claim(let name): claim(name)
        case .enter(let name): enter(name)
        case .reply(let error): reply(error)
        case .say(let text): guest?.driver.received(.success(.send(thread: lobby.thread.id, text: text)))
        }
    }

    // MARK: Names

    private func claim(_ name: String) {
        let (login, messaging, names, id) = (services.accounts.login, services.messaging, names, id)
        loop.request(
            for: self,
            { () -> Bool in
                let look = NameLook(of: name)
                guard !login.isReserved(name, look), try await messaging.isFree(name, look: look) else { return false }
                return await names.claim(look, for: id)
            }
        ) { handler, isClaimed in
            guard handler.isOpen else {
                if isClaimed == true { handler.release(name) }
                return
            }
            if let action = handler.line.claimed(isClaimed ?? false) { handler.perform(action) }
            handler.drainLines()
        }
    }

    private func enter(_ name: String) {
        isEntering = true
        let (fanOut, index, encoding, lobby) = (services.delivery.fanOut, loop.index, encoding, lobby)
        let messaging = services.messaging
        let user = User(id: GuestID.make(name: name), name: name)
        loop.request(
            for: self,
            {
                // A guest is a member of the lobby only, and is not stored.
                try await fanOut.admit(user, on: index, encoding: encoding) { _ in
                    let options = try await messaging.details(of: lobby.thread)?.options ?? .standard
                    return UserSnapshot(
                        user: user, version: 0, credentialsVersion: 0, memberships: [lobby.with(options: options)])
                }
            }
        ) { handler, reply in
            handler.entered(user, isAdmitted: reply != nil)
        }
    }

    private func entered(_ user: User, isAdmitted: Bool) {
        isEntering = false
        guard let context else {
            if isAdmitted {
                services.delivery.fanOut.roster(loop.index).cancelReservation(user.id)
                services.delivery.fanOut.forget(encoding)
            }
            return release(user.name)
        }
        guard isAdmitted, let local = loop.members.register(self, of: user.id) else {
            if isAdmitted { services.delivery.fanOut.forget(encoding) }
            // The lobby is not available; the client is to connect again.
            return context.close(promise: nil)
        }
        loop.connections.add(self)
        // A name costs nothing, so guests do not have a budget each: all guests of an address share the budget of one
        // user.
        let budgetOwner = GuestID.make(address: AddressBlock.name(of: context.remoteAddress?.ipAddress ?? "unknown"))
        guest = Guest(
            user: user, budgetOwner: budgetOwner, budgets: services.limits.budgets.retain(budgetOwner), local: local,
            driver: ClassicDriver(self))
        services.messaging.announce(.guestJoined(user.name), in: lobby.thread.id)
        drainLines()
    }

    // MARK: Bytes out

    func write(_ bytes: ByteBuffer) {
        guard let context else { return }
        guard budget.take(bytes.readableBytes, waiting: { context.waitingBytes }) else {
            services.telemetry.metrics.cutOffSlowSocket()
            return context.close(promise: nil)
        }
        services.telemetry.metrics.sent(bytes: bytes.readableBytes)
        context.write(wrapOutboundOut(bytes), promise: nil)
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
