import ParleyModel

/// One scenario against one client, as a value: events in, actions out, no clock and no socket.
///
/// It contains the room, the rule checker, and the progress of the steps. Its parts are commands (`+Commands`),
/// connections (`+Connections`), steps (`+Steps`) and REST calls (`+REST`).
package struct ScenarioMachine: Sendable {
    /// An accepted connection.
    struct Link {
        let number: Int
        let greetedAt: Duration
        let helloSeq: Int64
        var hasBegun = false
        var isDeaf = false
        /// The last `seq` that was sent or skipped.
        var sentSeq: Int64
    }

    /// The timeout for the first connection.
    package static let connectTimeout = Duration.seconds(60)
    /// The timeout for the first command, slightly longer than the documented one.
    static let firstCommand = Duration.milliseconds(1_300)

    /// The maximum number of frames from a client. Exceeding it ends the scenario.
    static let maximumFrames = 5_000
    static let maximumBytes = 16 << 20

    package let scenario: Scenario
    /// The session of the user, a bearer token or cookie.
    package let session: String
    package private(set) var result: ScenarioResult?
    let startMilliseconds: Int64
    var now = Duration.zero
    var actions: [ScenarioAction] = []
    var transcript = Transcript()
    var room: Room
    var user: User
    var checker: RuleChecker

    // Connections
    var link: Link?
    var acceptedCount = 0
    var lastEnd = Duration.zero
    var wasDeafPinged = false
    var wasForbidden = false
    var tickets: ScenarioTickets
    /// Whether the credentials have expired or a ticket was refused, and no connection was accepted since.
    var mayNeedLogin = false

    // Settings made by steps
    /// Whether the client has connected.
    var isStarted = false
    var step = 0
    var stepStart: Duration?
    var answers: [SendAnswer] = []
    var hiddenFrom: Int64?
    var refusals: [Refusal] = []
    var refusedUntil = Duration.zero
    var refusesAll = false
    var isForbidden = false
    var answersWithPage = false
    var ignored: Set<Ignored> = []
    /// Messages that are logged once more when they are sent again, by `client_id`.
    var forgotten: Set<String> = []
    /// The number of messages from other users.
    var postCount = 0
    var later: [(at: Duration, connection: Int, what: Later)] = []

    // Activity of the client
    var receivedFrames = 0
    var receivedBytes = 0
    var readMarks = 0
    var edits = 0
    var typings = 0
    var shown: [String: (id: String, text: String)] = [:]

    enum Later {
        case answer(ref: Int64?, id: String)
        case close(UInt16)
    }

    /// - Parameters:
    ///   - tag: Letters and digits that make the IDs of this run unique.
    ///   - milliseconds: The date of the start.
    ///   - allowed: The rules that are not checked.
    package init(_ scenario: Scenario, tag: String, milliseconds: Int64, allowed: Set<Rule> = []) {
        self.scenario = scenario
        session = "s\(tag)"
        tickets = ScenarioTickets(session: session)
        startMilliseconds = milliseconds
        room = Room(id: ThreadID(trusted: "conformance-\(tag)"), title: Room.title)
        user = User(id: UserID(trusted: "u\(tag)"), name: "conformance")
        checker = RuleChecker(allowed: allowed)
    }

    package var roomID: String { room.id.text }

    /// The time of the next `tick`.
    package var deadline: Duration? {
        guard result == nil else { return nil }
        var deadlines = later.map(\.at)
        if let link, !link.hasBegun { deadlines.append(link.greetedAt + Self.firstCommand) }
        if let stepDeadline { deadlines.append(stepDeadline) }
        return deadlines.min()
    }

    package mutating func handle(_ event: ScenarioEvent, at now: Duration) -> [ScenarioAction] {
        guard result == nil else { return refuse(event) }
        self.now = now
        checker.now = now
        checker.frame = transcript.count
        actions = []
        switch event {
        case .attempted(let number, let handshake): attempted(number, handshake)
        case .received(let number, let text): received(number, text)
        case .pinged(let number):
            note("<", "ping (WebSocket)", on: number)
            pinged(number)
        case .broke(let number, let what):
            note("<", what, on: number)
            checker.report(.frames, what)
        case .ended(let number): ended(number)
        case .clientEnded(let how): clientEnded(how)
        case .shown(let id, let clientID, let text): show(id, clientID, text)
        case .removed(let id): shown = shown.filter { $0.value.id != id }
        case .tick: break
        }
        runLater()
        checkFirstCommand()
        advance()
        if let violation = checker.violation { finish(.wrong(violation)) }
        return actions
    }

    /// A program may end after a permanent close, or when it needs a login.
    private mutating func clientEnded(_ how: String) {
        if acceptedCount == 0 { return finish(.absent) }
        if checker.noAttemptBefore?.rule == .stop || mayNeedLogin { return }
        checker.report(.again, "the client has ended: \(how)")
    }

    mutating func finish(_ outcome: ScenarioResult.Outcome) {
        guard result == nil else { return }
        result = ScenarioResult(scenario: scenario.name, outcome: outcome, frames: transcript.newest)
        if let link { actions.append(.cut(link.number)) }
    }

    /// Answers an event after the end of the scenario, which the client may not know of.
    private func refuse(_ event: ScenarioEvent) -> [ScenarioAction] {
        if case .attempted(let number, _) = event { return [.reject(number, status: 503, retryAfter: 1)] }
        return []
    }

    var milliseconds: Int64 { startMilliseconds + now.milliseconds }

    mutating func note(_ direction: Character, _ content: String, on connection: Int) {
        transcript.add(direction, content, connection: connection, at: now)
        checker.frame = transcript.count
    }

    /// Sends a frame on the open connection.
    mutating func send(_ json: String) {
        guard let link, !link.isDeaf else { return }
        note(">", json, on: link.number)
        actions.append(.send(link.number, json))
    }

    /// Checks that the client shows a message under a single ID, even if the log contains it twice.
    private mutating func show(_ id: String, _ clientID: String?, _ text: String) {
        guard let clientID = clientID ?? room.clientIDs[id] else { return }
        if let other = shown[clientID], other.id != id {
            checker.report(.once, "\(clientID) is shown as \(other.id) and as \(id)")
        }
        shown[clientID] = (id, text)
        if shown.count > 1_000 { shown = [:] }
    }

    private mutating func runLater() {
        while let index = later.firstIndex(where: { $0.at <= now }) {
            let (_, connection, what) = later.remove(at: index)
            guard connection == link?.number else { continue }
            switch what {
            case .answer(let ref, let id): accept(id, ref: ref, isStored: true)
            case .close(let code): close(code)
            }
        }
    }
}
