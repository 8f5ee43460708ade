import Logging
import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyMessaging
import ParleyModel
import ParleySession
import ParleySockets
import ParleyWire

/// One WebSocket, after the upgrade, on a `KernelSocket`. What is the same in every dialect is here;
/// `ClassicSocketHandler` and `V1SocketHandler` say what the client's messages mean and what it is told.
///
/// - takes bytes apart into messages;
/// - answers pings, sends its own, and ends a connection that shows no sign of life;
/// - closes: says why, and waits a moment for the client to hang up.
///
/// Bound to its event loop; it holds no task and no timer of its own while it is idle.
class SocketHandler: ConnectionOwner, KernelSocketOwner {
    /// Seconds between two pings; the first comes at a random moment of the first period.
    static let pingInterval: Int64 = 25
    /// The kernel's buffer of what goes out, in bytes, which it doubles: bounds what is held for a client that does not
    /// read, and lets its reading be noticed soon.
    private static let kernelBuffer: CInt = 65_536

    // An admission has more, which is of no use after the answer, and there are many sockets.
    final let gateway: Gateway
    final let connection: ConnectionID
    final let encoding: Encoding
    final let address: String
    /// The index of the event loop.
    final let loop: Int
    /// What the roster knows of the user, from its registration there to its end.
    final private(set) var local: LocalUser?
    /// Who the client is; its credentials may be renewed.
    final var identity: Identity
    /// What the user may still do, from the first command on: who only listens needs none.
    private var kept: UserBudgets?
    /// `nil` before the beginning and after the end.
    final private(set) var socket: KernelSocket?
    private var parser: WebSocketFrameParser
    final private(set) var lastRead = NIODeadline.uptimeNanoseconds(0)
    final var lastSign: Int64 = 0
    final var lastPing: Int64 = 0
    /// How many bytes the kernel had taken when the client was last found to be reading.
    final var takenAtSign: Int64 = 0
    final var place: HeartbeatWheel.Place?
    /// The client is being told that this node is going.
    private var isDraining = false
    /// The last frame was sent: nothing is written any more, and what comes in is thrown away.
    final private(set) var isClosing = false

    init(gateway: Gateway, admission: Admission) {
        self.gateway = gateway
        connection = admission.connection
        encoding = admission.encoding
        address = admission.address
        loop = admission.loop
        identity = admission.identity
        parser = WebSocketFrameParser(
            maximumBytes: gateway.settings.limits.frameBytes, compression: admission.encoding.compressed)
    }

    /// For the dialect that the client has chosen.
    static func make(gateway: Gateway, admission: Admission) -> SocketHandler {
        switch admission.encoding.dialect {
        case .v1: V1SocketHandler(gateway: gateway, admission: admission)
        case .classic, .direct, .line: ClassicSocketHandler(gateway: gateway, admission: admission)
        }
    }

    // MARK: What a dialect adds

    /// Whether the client's messages are wanted now.
    var isReading: Bool { true }

    /// The socket is live: what happens in the user's threads is delivered from now on.
    func opened() {}

    /// A text message came.
    func receive(_ payload: ByteBuffer) {}

    /// The client is to be told of nothing and asks for nothing any more.
    func retired() {}

    /// This node is going; told once, however often it is said.
    final func beginDrain() {
        guard !isDraining else { return }
        isDraining = true
        drain()
    }

    /// This node is going.
    func drain() {
        later(gateway.drainDelay()) { $0.close(.goingAway) }
    }

    /// Sends something to this client alone, at once; there may be no room for it.
    func reply(_ frame: ByteBuffer) {
        write(frame)
        flush()
    }

    // MARK: RosterMember

    final var sessionToken: TokenHash? { identity.session }
    final var credentialsVersion: Int64? { identity.credentialsVersion }
    final var apiKey: TokenHash? { identity.apiKey }

    func deliver(_ frames: FrameBatch, in thread: ThreadID) {}
    func memberAdded(_ membership: Membership, after end: Position?) {}
    func memberRemoved(_ membership: Membership) {}
    func membershipsChanged() {}
    func stored(_ thread: ThreadID, seq: Int64, epoch: Epoch?) {}
    func renumbered(_ thread: ThreadID, _ renumbering: Renumbering) {}

    func lostTrack(of thread: ThreadID) {
        close(.missedEvents)
    }

    func sessionRevoked() {
        close(.sessionRevoked)
    }

    // MARK: Output

    /// Takes bytes; `flush` sends them.
    final func write(_ bytes: ByteBuffer) {
        guard let socket, !isClosing else { return }
        gateway.metrics.sent(bytes: bytes.readableBytes)
        socket.write(bytes)
    }

    /// Sends what was written.
    func flush() {
        socket?.flush()
    }

    /// How many bytes wait to be taken by the kernel.
    final var waitingBytes: Int { socket?.waitingBytes ?? 0 }

    func madeRoom() {}

    // MARK: Lifecycle

    final var eventLoop: (any EventLoop)? { socket?.eventLoop }

    final func setReading(_ isOn: Bool) { socket?.setReading(isOn) }

    /// The connection is this handler's from here on.
    /// - Parameter early: what the client has sent behind its handshake.
    final func begin(_ socket: KernelSocket, early: ByteBuffer) {
        self.socket = socket
        socket.setSendBuffer(Self.kernelBuffer)
        lastSign = HeartbeatWheel.seconds(socket.eventLoop)
        // Two pings are never due in the same second for clients that came in together.
        lastPing = lastSign - Int64.random(in: 0..<Self.pingInterval)
        heartbeats.schedule(self, after: min(Self.pingInterval + lastPing - lastSign, untilExpiry))
        gateway.debug("socket opened", facts(["dialect": "\(encoding.dialect)"]))
        local = gateway.fanOut.roster(loop).register(self, of: identity.user.id)
        guard local != nil else { return close(.goingAway) }
        gateway.presence.connected(identity.user.id)
        opened()
        // The loop may have told all others before this one was there.
        if gateway.drains { beginDrain() }
        if early.readableBytes > 0 { early.withUnsafeReadableBytes(received) }
    }

    final func received(_ bytes: UnsafeRawBufferPointer) {
        gateway.metrics.received(bytes: bytes.count)
        guard !isClosing else { return }
        let came = NIODeadline.now()
        lastRead = came
        lastSign = Int64(clamping: came.uptimeNanoseconds / 1_000_000_000)
        // A buffer of its own, as large as what came: it may have to wait for what is done before it.
        var buffer = ByteBuffer(bytes: bytes)
        parser.append(&buffer)
        drainParser()
        gateway.metrics.handledRead(in: .now() - came)
    }

    /// The connection is gone: gives back all that it had.
    final func ended() {
        socket = nil
        retire()
        heartbeats.remove(self)
        gateway.dismiss(identity.user.id, encoding, from: address)
        gateway.counts.closeKept()
        if kept != nil { gateway.budgets.release(identity.user.id) }
        gateway.debug("socket closed", facts([:]))
    }

    /// Takes no more part in anything: neither sends nor is delivered to.
    private func retire() {
        isClosing = true
        retired()
        if let local {
            self.local = nil
            gateway.presence.disconnected(identity.user.id)
            gateway.fanOut.roster(loop).unregister(self, of: local)
        }
    }

    final var heartbeats: HeartbeatWheel { gateway.heartbeats(loop) }

    private func facts(_ more: Logger.Metadata) -> Logger.Metadata {
        more.merging([
            "connection_id": "\(connection)", "user": "\(identity.user.id)",
        ]) { own, _ in own }
    }

    // MARK: Frames in

    /// Takes in what has come, as far as the session wants it.
    final func drainParser() {
        while isReading, !isClosing {
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
            receive(payload)
        case .ping(let payload):
            reply(WebSocketFrame.pong(payload))
        case .pong:
            break
        case .close(let code):
            answerClose(code)
        }
    }

    // MARK: Budgets

    /// What the user may still do; `nil` once the connection is gone, since nobody would give it back.
    final var budgets: UserBudgets? {
        guard socket != nil else { return nil }
        let budgets = kept ?? gateway.budgets.retain(identity.user.id)
        kept = budgets
        return budgets
    }

    final func take(_ kind: BudgetKind, at now: Int64) -> Permit {
        budgets?.take(kind, at: now) ?? .requested
    }

    // MARK: Close

    /// Ends the connection from our side.
    ///
    /// Says why, says that nothing follows, and then throws away what still comes until the client hangs up: closing
    /// with bytes unread would make the client's kernel throw away what it has not read, the reason with it. A client
    /// that does not hang up is cut off after `GatewaySettings.farewellTimeout`.
    final func close(_ reason: CloseReason) {
        guard let socket, !isClosing else { return }
        retire()
        socket.setReading(true)
        heartbeats.schedule(self, after: gateway.settings.closeTimeout)
        gateway.metrics.closed(code: reason.code)
        gateway.debug("socket closed by the server", facts(["code": "\(reason.code)"]))
        let frame = WebSocketFrame.close(code: reason.code, reason: reason.text)
        socket.write(frame)
        socket.endOutput()
    }

    /// The client closes. It sends nothing after that, so the connection can end with our answer, which repeats the
    /// code (RFC 6455 §5.5.1).
    private func answerClose(_ code: UInt16?) {
        guard let socket, !isClosing else { return }
        retire()
        heartbeats.schedule(self, after: gateway.settings.closeTimeout)
        socket.write(code.map { WebSocketFrame.close(code: $0, reason: "") } ?? WebSocketFrame.close())
        socket.closeWhenSent()
    }
}
