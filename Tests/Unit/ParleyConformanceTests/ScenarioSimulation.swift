import NIOCore
import ParleyClient
import ParleyConformance
import ParleyJSON

/// A scenario and a client, both values, in simulated time. The client is the core of ParleyClient, correct or with a
/// deliberate error.
struct ScenarioSimulation {
    /// A frame or request in transit.
    private enum Post {
        case toServer(ScenarioEvent)
        case toClient(MachineEvent, connection: Int)
        case ask(String)
    }

    private static let delay = Duration.milliseconds(2)

    private var machine: ScenarioMachine
    private var core: ChatMachine
    private let wrong: WrongClient?
    /// Whether the client uses only tickets from REST, as browsers with tokens do.
    private let fetchesTickets: Bool
    private let storage = MemoryStorage()
    private var random: ClientRandom
    private var now = Duration.zero
    private var posts: [(at: Duration, what: Post)] = []
    private var connection = 0
    private var firstTicket: String?
    private var transmitted: [String: Int] = [:]
    private var lastMessage = ""
    private var lastRequest = 0
    /// What the open room shows, by id.
    private var display: [String: StoredMessage] = [:]
    private var rows = 0

    init(_ scenario: Scenario, seed: UInt64, wrong: WrongClient? = nil, fetchesTickets: Bool = false) {
        machine = ScenarioMachine(scenario, tag: "t\(seed)", milliseconds: 1_795_255_200_000)
        var policy = ReconnectPolicy()
        if wrong == .connectsWithoutDelay { (policy.base, policy.cap) = (.zero, .zero) }
        core = ChatMachine(policy: policy, seed: seed)
        random = ClientRandom(seed: seed)
        self.wrong = wrong
        self.fetchesTickets = fetchesTickets
    }

    /// Runs to the end, in at most ten minutes of its own time.
    mutating func run() -> ScenarioResult? {
        tell(.start)
        perform(machine.handle(.tick, at: now))
        while machine.result == nil, now < .seconds(600) {
            guard let next = [posts.first?.at, machine.deadline, core.deadline].compactMap({ $0 }).min() else { break }
            now = max(now, next)
            if let post = posts.first, post.at <= now {
                posts.removeFirst()
                deliver(post.what)
            } else {
                perform(machine.handle(.tick, at: now))
                if let deadline = core.deadline, deadline <= now { tell(.tick) }
            }
        }
        return machine.result
    }

    private mutating func post(_ what: Post) { posts.append((now + Self.delay, what)) }

    private mutating func deliver(_ what: Post) {
        switch what {
        case .toServer(let event): perform(machine.handle(event, at: now))
        case .toClient(let event, let number): if number == connection { tell(event) }
        case .ask(let line): obey(line)
        }
    }

    // MARK: The client

    private mutating func tell(_ event: MachineEvent) {
        let output = core.handle(
            event, at: Now(uptime: now, milliseconds: 1_795_255_200_000 + now.components.seconds * 1000))
        storage.apply(output.changes)
        for action in output.actions { perform(action) }
        if output.messages.contains(machine.roomID) || output.resets.contains(machine.roomID) { show() }
        let isConnected = core.connection.phase == .connected
        if isConnected, output.isStateChanged || output.resets.contains(machine.roomID) {
            // The open room: its newest page.
            lastRequest += 1
            tell(.history(request: lastRequest, thread: machine.roomID, before: nil, after: nil, limit: 50))
        }
    }

    /// Tells what the room shows, and shows no more: of messages with one sender, `client_id` and text the first.
    private mutating func show() {
        guard wrong != .showsRepeats else { return }
        let stored = storage.messages(in: machine.roomID, from: 0, to: 1 << 40, limit: 1_000, newest: true)
        var seen: Set<[String]> = []
        let visible = stored.filter { message in
            guard wrong != .showsTwins, let id = message.clientID else { return true }
            return seen.insert([message.senderID, id, message.text]).inserted
        }
        let before = display
        display = Dictionary(uniqueKeysWithValues: visible.map { ($0.id, $0) })
        for id in before.keys.sorted() where display[id] == nil { post(.toServer(.removed(id: id))) }
        for message in visible where before[message.id] != message {
            post(.toServer(.shown(id: message.id, clientID: nil, text: message.text)))
        }
    }

    private mutating func perform(_ action: MachineAction) {
        switch action {
        case .connect(let ticket, _):
            connection += 1
            firstTicket = firstTicket ?? ticket
            if fetchesTickets { return connectWithTicket() }
            let presented = wrong == .keepsItsTicket ? firstTicket : ticket
            post(.toServer(.attempted(connection, Handshake(ticket: presented, isAuthorized: true, isV1: true))))
        case .disconnect: post(.toServer(.ended(connection)))
        case .transmit(let text):
            guard let frame = try? JSONTree(parsing: text) else { return }
            var content = frame
            if case .members(let members) = frame { content = .members(members.filter { $0.key != "ref" }) }
            transmitted[content.canonical, default: 0] += 1
            let frames = wrong?.mangled(frame, times: transmitted[content.canonical] ?? 1) ?? [frame]
            for frame in frames {
                post(.toServer(.received(connection, ByteBuffer(string: frame.canonical))))
            }
        case .answer, .listThreads, .reload, .countUnread, .upload, .deleteAttachments, .removeFiles: break
        }
    }

    /// Fetches a ticket and connects with it.
    private mutating func connectWithTicket() {
        let call = RESTCall(method: "POST", path: "/v1/tickets", query: [:], body: [], isAuthorized: true)
        let answer = machine.respond(to: call, at: now)
        guard let ticket = (try? JSONTree(parsing: answer.json))?["ticket"]?.text else {
            let seconds = answer.headers.first { $0.0 == "Retry-After" }.flatMap { Int64($0.1) }
            return post(
                .toClient(
                    .openFailed(status: answer.status, retryAfter: seconds.map { .seconds($0) }),
                    connection: connection))
        }
        post(.toServer(.attempted(connection, Handshake(ticket: ticket, isAuthorized: false, isV1: true))))
    }

    /// Does what a line of standard input says.
    private mutating func obey(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        switch words.first {
        case "/read": tell(.markRead(thread: machine.roomID, seq: 1 << 20))
        case "/typing":
            if wrong == .alwaysTypes {
                let frame = V1ClientCommand.typing(thread: machine.roomID, isOn: true).json(ref: nil)
                post(.toServer(.received(connection, ByteBuffer(bytes: frame))))
            } else {
                tell(.typing(thread: machine.roomID, isOn: true))
            }
        case "/edit":
            let target = ClientOutboxEntry.Target(localID: lastMessage)
            let id = random.uuid7(milliseconds: 1_795_255_200_000)
            tell(.change(.edit(target, text: words.last ?? ""), thread: machine.roomID, id: id))
        default:
            lastMessage = random.uuid7(milliseconds: 1_795_255_200_000)
            tell(.send(ChatDraft(line), thread: machine.roomID, id: lastMessage))
        }
    }

    // MARK: The server

    private mutating func perform(_ actions: [ScenarioAction]) {
        for action in actions { perform(action) }
    }

    private mutating func perform(_ action: ScenarioAction) {
        switch action {
        case .accept(let number): post(.toClient(.opened, connection: number))
        case .reject(let number, let status, let retryAfter):
            let seconds = wrong == .ignoresRetryAfter ? nil : retryAfter
            post(
                .toClient(
                    .openFailed(
                        status: wrong == .goesOnWhenForbidden ? 503 : status,
                        retryAfter: seconds.map { .seconds($0) }), connection: number))
        case .send(let number, let text):
            guard let frame = try? JSONTree(parsing: text) else { return }
            if wrong == .leavesAtBye, frame["type"]?.text == "bye" {
                post(.toServer(.ended(number)))
                return post(.toClient(.closed(code: nil), connection: number))
            }
            if wrong == .showsRepeats, let id = frame["client_id"]?.text, frame["type"]?.text == "message" {
                // Every event is a new row, whatever it is.
                rows += 1
                post(.toServer(.shown(id: "row \(rows)", clientID: id, text: frame["text"]?.text ?? "")))
            }
            guard let read = wrong.map({ $0.misread(frame) }) ?? frame else { return }
            post(.toClient(.frames([ServerFrame(read.json)]), connection: number))
        case .close(let number, let code):
            let seen = wrong == .goesOnWhenStopped ? nil : Int(code)
            post(.toClient(.closed(code: seen), connection: number))
        case .cut(let number): if wrong != .neverReturns { post(.toClient(.closed(code: nil), connection: number)) }
        case .pong: break
        case .ask(let line, _): post(.ask(line))
        }
    }
}
