import Logging
import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyMessaging
import ParleyModel
import ParleySession
import ParleySockets
import ParleyWire

/// One WebSocket after the handshake: owns a `KernelSocket` and the `SessionDriver` of its subprotocol.
///
/// - parses bytes into messages, which it hands to the driver;
/// - answers pings, sends its own, and ends a connection that shows no sign of life;
/// - closes with a reason, and waits for a moment for the client to hang up.
///
/// Bound to its event loop. It holds no task and no timer of its own while it is idle.
final class WebSocketConnection: KernelSocketOwner, LoopBound {
    /// Seconds between two pings; the first comes at a random moment of the first period.
    static let pingInterval: Int64 = 25
    /// The kernel's send buffer in bytes, which the kernel doubles. Bounds what is held for a client that does not
    /// read, and makes its reading visible soon.
    private static let kernelBuffer: CInt = 65_536

    // Copied from the admission, which has more, and in an order without gaps: there are many sockets.
    let id: ConnectionID
    let address: String
    let services: ConnectionServices
    let loop: GatewayLoop
    /// The user's state in the roster, from the registration to its end.
    private(set) var local: LocalUser?
    /// The identity of the client; a v1 client may renew its credentials.
    var identity: Identity
    /// The user's budgets, from the first command on: a client that only listens needs none.
    private var retainedBudgets: UserBudgets?
    /// `nil` before the beginning and after the end, as the driver.
    private(set) var socket: KernelSocket?
    /// Refers back to the connection; the end of the connection breaks the cycle.
    private(set) var driver: (any SessionDriver)?
    /// `nil` unless a message has arrived in part.
    private var parser: WebSocketFrameParser?
    /// The time at which the newest bytes arrived.
    private(set) var lastRead = NIODeadline.uptimeNanoseconds(0)
    var lastActivity: Int64 = 0
    var lastPing: Int64 = 0
    /// The number of bytes that the kernel had taken when the client was last found to be reading.
    var takenAtSign: Int64 = 0
    var place: HeartbeatWheel.Place?
    private var isDraining = false
    /// The close frame was sent: nothing more is written, and input is discarded.
    private(set) var isClosing = false
    /// The index in the loop's `ConnectionTable`.
    var tableIndex: Int32 = 0
    /// The driver waits until at most this many bytes wait.
    private var awaitedDrain: Int32?
    let encoding: Encoding

    init(admission: Admission, services: ConnectionServices, loop: GatewayLoop) {
        self.services = services
        self.loop = loop
        id = admission.connection
        encoding = admission.encoding
        address = admission.address
        identity = admission.identity
    }

    // MARK: Life

    var isOpen: Bool { socket != nil }

    /// Takes over the connection of a finished handshake.
    /// - Parameter early: bytes that the client has sent behind its handshake.
    func begin(_ socket: KernelSocket, early: ByteBuffer) {
        self.socket = socket
        let driver = makeDriver()
        self.driver = driver
        loop.connections.add(self)
        socket.setSendBuffer(Self.kernelBuffer)
        lastActivity = HeartbeatWheel.seconds(socket.eventLoop)
        // Spreads the pings of clients that connect together.
        lastPing = lastActivity - Int64.random(in: 0..<Self.pingInterval)
        loop.heartbeats.schedule(self, after: min(Self.pingInterval + lastPing - lastActivity, untilExpiry))
        services.telemetry.debug("socket opened", metadata(["dialect": "\(encoding.dialect)"]))
        local = loop.members.register(self, of: identity.user.id)
        guard local != nil else { return close(.goingAway) }
        services.delivery.presence.connected(identity.user.id)
        driver.opened()
        // The drain of this loop may have begun before the connection was in its table.
        if services.drain.isDraining { beginDrain() }
        if early.readableBytes > 0 { early.withUnsafeReadableBytes(received) }
    }

    private func makeDriver() -> any SessionDriver {
        if services.settings.echoes { return EchoDriver(self) }
        return switch encoding.dialect {
        case .v1: V1Driver(self)
        case .classic, .direct, .line: ClassicDriver(self)
        }
    }

    /// This node is draining; further calls do nothing.
    func beginDrain() {
        guard !isDraining else { return }
        isDraining = true
        driver?.drain(after: services.drain.delay())
    }

    /// The connection is gone: gives back everything that it held.
    func ended() {
        socket = nil
        retire()
        driver = nil
        loop.connections.remove(self)
        loop.heartbeats.remove(self)
        services.delivery.fanOut.forget(encoding)
        services.limits.counts.closeSocket(of: identity.user.id, from: address)
        services.limits.counts.closeKept()
        if retainedBudgets != nil { services.limits.budgets.release(identity.user.id) }
        services.telemetry.debug("socket closed", metadata([:]))
    }

    /// Stops deliveries and the session.
    private func retire() {
        isClosing = true
        awaitedDrain = nil
        driver?.closed()
        if let local {
            self.local = nil
            services.delivery.presence.disconnected(identity.user.id)
            loop.members.unregister(self, of: local)
        }
    }

    private func metadata(_ more: Logger.Metadata) -> Logger.Metadata {
        more.merging(["connection_id": "\(id)", "user": "\(identity.user.id)"]) { own, _ in own }
    }

    // MARK: Frames in

    func received(_ bytes: UnsafeRawBufferPointer) {
        services.telemetry.metrics.received(bytes: bytes.count)
        guard !isClosing else { return }
        let came = NIODeadline.now()
        lastRead = came
        lastActivity = Int64(clamping: came.uptimeNanoseconds / 1_000_000_000)
        // A copy of exactly this size: the bytes may have to wait for earlier commands.
        var buffer = ByteBuffer(bytes: bytes)
        let parser =
            parser
            ?? WebSocketFrameParser(
                maximumBytes: services.settings.limits.frameBytes, compression: encoding.compressed,
                binary: services.settings.echoes)
        parser.append(&buffer)
        self.parser = parser
        drainParser()
        services.telemetry.metrics.handledRead(in: .now() - came)
    }

    var isReading: Bool { driver?.isReading ?? false }

    func setReading(_ isOn: Bool) { socket?.setReading(isOn) }

    /// Handles the received messages that the session accepts.
    func drainParser() {
        guard let driver, let parser else { return }
        while driver.isReading, !isClosing {
            do {
                guard let input = try parser.next() else {
                    if parser.isEmpty { self.parser = nil }
                    return
                }
                handle(input, driver)
            } catch {
                return close(CloseReason(code: error.closeCode, text: error.explanation))
            }
        }
    }

    private func handle(_ input: WebSocketInput, _ driver: any SessionDriver) {
        switch input {
        case .text(let payload): driver.received(payload)
        case .binary(let payload): driver.received(binary: payload)
        case .ping(let payload): reply(WebSocketFrame.pong(payload))
        case .pong: break
        case .close(let code): answerClose(code)
        }
    }

    // MARK: Bytes out

    /// Queues bytes; `flush` sends them.
    func write(_ bytes: ByteBuffer) {
        guard let socket, !isClosing else { return }
        services.telemetry.metrics.sent(bytes: bytes.readableBytes)
        socket.write(bytes)
    }

    /// Sends the queued bytes.
    func flush() {
        socket?.flush()
        if awaitedDrain != nil { checkDrained() }
    }

    /// Sends a frame to this client alone, at once, if there is room for it.
    func reply(_ frame: ByteBuffer) {
        guard let driver, driver.reserve(frame.readableBytes) else { return }
        write(frame)
        flush()
    }

    /// Bytes that the kernel has not taken yet.
    var waitingBytes: Int { socket?.waitingBytes ?? 0 }

    /// Calls the driver's `drained` when at most so many bytes wait, at the next flush at the earliest.
    func notifyDrained(below bytes: Int) {
        awaitedDrain = Int32(clamping: bytes)
    }

    func madeRoom() {
        checkDrained()
    }

    private func checkDrained() {
        guard let awaitedDrain, waitingBytes <= awaitedDrain else { return }
        self.awaitedDrain = nil
        driver?.drained()
    }

    // MARK: Close

    /// Closes the connection from this side.
    ///
    /// Sends the reason, shuts the output down, and discards input until the client hangs up: if the socket were closed
    /// with unread input, the client's kernel would discard what it has not read, including the reason. A client that
    /// does not hang up is cut off after `GatewaySettings.closeTimeout`.
    func close(_ reason: CloseReason) {
        guard let socket, !isClosing else { return }
        retire()
        socket.setReading(true)
        loop.heartbeats.schedule(self, after: services.settings.closeTimeout)
        services.telemetry.metrics.closed(code: reason.code)
        services.telemetry.debug("socket closed by the server", metadata(["code": "\(reason.code)"]))
        socket.write(WebSocketFrame.close(code: reason.code, reason: reason.text))
        socket.endOutput()
    }

    /// Answers the client's close frame by its own code (RFC 6455 §5.5.1). The client sends nothing after that frame,
    /// so the connection ends with the answer.
    private func answerClose(_ code: UInt16?) {
        guard let socket, !isClosing else { return }
        retire()
        loop.heartbeats.schedule(self, after: services.settings.closeTimeout)
        socket.write(code.map { WebSocketFrame.close(code: $0, reason: "") } ?? WebSocketFrame.close())
        socket.closeWhenSent()
    }
}

/// The state of the client that drivers answer the queries of sessions from.
extension WebSocketConnection {
    var user: User { identity.user }
    var caller: Caller { Caller(identity.user, displayName: local?.displayName, of: id) }

    func membership(of thread: ThreadID) -> Membership? {
        local?.memberships[thread]
    }

    func directMembership(withUser text: String) -> Membership? {
        local?.directMembership(with: services.messaging.reference(text))
    }

    func isBlocked(_ other: UserID) -> Bool { local?.blocks.hides(other) ?? false }

    /// The user's budgets; `nil` once the connection is gone, since nothing would release them.
    var budgets: UserBudgets? {
        guard isOpen else { return nil }
        let budgets = retainedBudgets ?? services.limits.budgets.retain(identity.user.id)
        retainedBudgets = budgets
        return budgets
    }

    func take(_ kind: BudgetKind, at now: Int64) -> Permit {
        budgets?.take(kind, at: now) ?? .requested
    }
}
