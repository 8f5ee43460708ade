import NIOCore
import NIOHTTP1
import ParleyClientCore
import ParleyWire

/// A user with a v1 client: connects and reconnects, sends and repeats, resumes, and fetches what is missing.
///
/// When to connect, ping and give up is decided by `ClientConnectionMachine`; the rest is what docs/clients.md asks of a
/// client. What the user sees is checked by `Observations`. Confined to the simulator's only thread.
final class SimulatedUser {
    /// The purpose of a command without an answer yet.
    enum Purpose {
        case send(String)
        case resume
        /// A page of a thread with these `discards` at that time.
        case history(thread: String, discards: Int)
        case read(thread: String, seq: Int)
        /// An edit, a deletion or a reaction.
        case change
        /// A command about a room that the user is not in, and that room when it was sent.
        case knock(room: String, RoomView)
        /// A command that a user may not give who may not write, and whether the user may.
        case probe(room: String, mayWrite: Bool)
        /// A command that a suspended user gives when every node must know of the suspension.
        case suspended
    }

    /// The threads in which the user may have had no right to write at any time.
    var mutedRooms: Set<String> = []
    /// The rooms that the user may have been banned from at any time.
    var leftRooms: Set<String> = []
    /// Whether the user may have been suspended at any time, and so signs in again after a refusal.
    var mayBeSuspended = false
    /// The user's mutes by room, as the server has told.
    var toldMutes: [String: ServerFrame.Mute] = [:]
    /// The rights, the slow mode and the archive of the user's threads, as the server has told.
    var toldRights: [String: ServerFrame.RoomFields] = [:]

    let name: String
    let id: String
    let token: String
    let scheduler: Scheduler
    let observations: Observations
    let story: Story
    /// Opens a connection to some node.
    private let connect: (HTTPRequestHead, @escaping (ClientLine.Event) -> Void) -> ClientLine?
    var generator: SeededGenerator
    var machine: ClientConnectionMachine
    private(set) var line: ClientLine?
    private var parser = WebSocketServerFrameParser(maximumBytes: 32 << 20, checksText: false)
    /// The number of connections so far.
    private(set) var connection = 0
    private var nextTick = Int64.max
    private var nextRef: Int64 = 0
    var requests: [Int64: Purpose] = [:]
    var threads: [String: KnownThread] = [:]
    /// In the order in which the user has sent them.
    var outbox: [Send] = []
    var sent = 0
    /// Whether events may be sent again from the positions of `resume`.
    var isResuming = false
    /// The epochs of the positions of `resume`, by thread.
    var resumedEpochs: [String: String] = [:]
    /// Where live events begin if the resume is late, by thread.
    var greeted: [String: Int] = [:]
    /// The threads of the last hello.
    var hello: ServerFrame.Hello?

    init(
        name: String, id: String, token: String, seed: UInt64, scheduler: Scheduler, observations: Observations,
        story: Story,
        connect: @escaping (HTTPRequestHead, @escaping (ClientLine.Event) -> Void) -> ClientLine?
    ) {
        self.name = name
        self.id = id
        self.token = token
        self.scheduler = scheduler
        self.observations = observations
        self.story = story
        self.connect = connect
        generator = SeededGenerator(seed: seed)
        machine = ClientConnectionMachine(policy: ReconnectPolicy())
    }

    var now: Duration { .nanoseconds(scheduler.now) }
    var isConnected: Bool { machine.phase == .connected }

    // MARK: Connection

    func start() { perform(machine.start(at: now)) }

    func stop() {
        perform(machine.stop())
    }

    /// Closes the connection as a user who loses the network does, and connects again.
    func reconnect() {
        guard let line, line.isOpen else { return }
        line.close()
        closed(code: nil)
    }

    private func perform(_ steps: [ClientConnectionMachine.Step]) {
        for step in steps {
            switch step {
            case .connect(let ticket, _): open(ticket: ticket)
            case .disconnect: forgetConnection()
            case .ping: write(WebSocketClientFrame.frame(.ping, ByteBuffer(), mask: mask()))
            }
        }
        scheduleTick()
    }

    private func scheduleTick() {
        guard let deadline = machine.deadline?.nanoseconds, deadline != nextTick else { return }
        nextTick = deadline
        scheduler.call(after: max(0, deadline - scheduler.now)) { [self] in
            guard nextTick == deadline else { return }
            nextTick = .max
            perform(machine.tick(at: now, using: &generator))
        }
    }

    private func open(ticket: String?) {
        connection += 1
        let number = connection
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/v1/socket")
        head.headers.add(contentsOf: [
            ("Host", "chat.example"), ("Upgrade", "websocket"), ("Connection", "Upgrade"),
            ("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
            ("Sec-WebSocket-Protocol", "parley.v1"),
        ])
        if let ticket {
            head.uri += "?ticket=\(ticket)"
        } else {
            head.headers.add(name: "Cookie", value: "sessionid=\(token)")
        }
        line = connect(head) { [weak self] event in
            guard let self, connection == number else { return }
            happened(event)
        }
        if line == nil { happened(.rejected(status: nil, retryAfter: nil)) }
    }

    private func happened(_ event: ClientLine.Event) {
        switch event {
        case .opened:
            parser = WebSocketServerFrameParser(maximumBytes: 32 << 20, checksText: false)
            machine.opened(at: now)
            scheduleTick()
        case .rejected(let status, let seconds):
            line = nil
            story.remark(name, "handshake rejected \(status.map { "\($0)" } ?? "without an answer")")
            perform(
                machine.failed(
                    status: status, retryAfter: seconds.map { .seconds($0) }, at: now, using: &generator))
            returnLater()
        case .received(let bytes): read(bytes)
        case .ended: closed(code: nil)
        }
    }

    private func closed(code: Int?) {
        forgetConnection()
        story.remark(name, "connection \(connection) ended\(code.map { " with \($0)" } ?? "")")
        perform(machine.closed(code: code, at: now, using: &generator))
        returnLater()
    }

    /// Has a user who was refused for a suspension try again after some seconds.
    private func returnLater() {
        guard mayBeSuspended, [.loggedOut(.forbidden), .loggedOut(.stopped(code: 4003))].contains(machine.phase) else {
            return
        }
        scheduler.call(after: generator.within(1_000_000_000...5_000_000_000)) { [self] in
            if case .loggedOut = machine.phase { start() }
        }
    }

    private func forgetConnection() {
        line?.close()
        line = nil
        requests = [:]
        isResuming = false
    }

    // MARK: Bytes

    private func mask() -> UInt32 { UInt32(truncatingIfNeeded: generator.next()) }

    private func write(_ bytes: ByteBuffer) { line?.send(bytes) }

    private func read(_ bytes: ByteBuffer) {
        machine.heard(at: now)
        var bytes = bytes
        parser.append(&bytes)
        let number = connection
        do throws(WebSocketViolation) {
            while connection == number, line != nil, let input = try parser.next() {
                switch input {
                case .text(let payload): received(ServerFrame(Array(payload.readableBytesView)))
                case .ping(let payload): write(WebSocketClientFrame.frame(.pong, payload, mask: mask()))
                case .pong, .binary: break
                case .close(let code):
                    write(WebSocketClientFrame.close(code: code ?? 1000, mask: mask()))
                    return closed(code: code.map { Int($0) })
                }
            }
        } catch {
            observations.violation("\(name) got bytes that are no WebSocket: \(error)")
        }
        scheduleTick()
    }

    /// Sends a command.
    func command(_ command: V1ClientCommand, for purpose: Purpose) {
        nextRef += 1
        requests[nextRef] = purpose
        machine.sent(nextRef, at: now)
        write(
            WebSocketClientFrame.frame(.text, ByteBuffer(bytes: command.json(ref: nextRef)), mask: mask()))
        scheduleTick()
    }
}

extension Duration {
    /// Whole nanoseconds, at most 292 years.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedReportingOverflow(by: 1_000_000_000).overflow
            ? .max : seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
