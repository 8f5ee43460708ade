import ParleyModel

/// One scenario against one client, as a value: events in, actions out, no clock and no socket.
///
/// It holds the room, the judge, and how far the steps are. Its parts: commands (`+Commands`), connections
/// (`+Connections`), steps (`+Steps`) and calls of REST (`+REST`).
package struct Trial: Sendable {
    /// A connection that was accepted.
    struct Link {
        let number: Int
        let greetedAt: Duration
        let helloSeq: Int64
        var hasBegun = false
        var isDeaf = false
        /// What was sent, or is not to be sent.
        var sentSeq: Int64
    }

    /// How long a first connection is awaited.
    package static let patience = Duration.seconds(60)
    /// How long the server waits for the first command; a client gets a little more.
    static let firstCommand = Duration.milliseconds(1_300)

    /// What a client may send in a scenario; more ends it.
    static let maximumFrames = 5_000
    static let maximumBytes = 16 << 20

    package let scenario: Scenario
    /// The session of the user: a bearer token or cookie.
    package let session: String
    package private(set) var result: ScenarioResult?
    let startMilliseconds: Int64
    var now = Duration.zero
    var actions: [TrialAction] = []
    var transcript = Transcript()
    var room: Room
    var judge: Judge

    // Connections
    var link: Link?
    var acceptedCount = 0
    var lastEnd = Duration.zero
    var wasDeafPinged = false
    var wasForbidden = false
    var tickets: TrialTickets
    /// The credentials have expired, or a ticket was refused, and no connection was accepted since.
    var mayNeedLogin = false

    // What the steps have set
    /// The client has connected for the first time.
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
    /// Of the messages in the log, by `client_id`.
    var receipts: [String: Receipt] = [:]
    /// Messages that are logged once more when they are sent again, by `client_id`.
    var forgotten: Set<String> = []
    /// Messages of somebody else.
    var postCount = 0
    var later: [(at: Duration, connection: Int, what: Later)] = []

    // What the client did
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
    ///   - tag: Distinguishes ids of this trial from those of others; letters and digits.
    ///   - milliseconds: The date of its start.
    ///   - allowed: Rules that are not judged.
    package init(_ scenario: Scenario, tag: String, milliseconds: Int64, allowed: Set<Rule> = []) {
        self.scenario = scenario
        session = "s\(tag)"
        tickets = TrialTickets(session: session)
        startMilliseconds = milliseconds
        room = Room(
            id: ThreadID(trusted: "conformance-\(tag)"), user: User(id: UserID(trusted: "u\(tag)"), name: "conformance")
        )
        judge = Judge(allowed: allowed)
    }

    package var roomID: String { room.id.text }
    package var frames: [Transcript.Frame] { transcript.newest }

    /// When `tick` is to be handled next.
    package var deadline: Duration? {
        guard result == nil else { return nil }
        var deadlines = later.map(\.at)
        if let link, !link.hasBegun { deadlines.append(link.greetedAt + Self.firstCommand) }
        if let stepDeadline { deadlines.append(stepDeadline) }
        return deadlines.min()
    }

    package mutating func handle(_ event: TrialEvent, at now: Duration) -> [TrialAction] {
        guard result == nil else { return refuse(event) }
        self.now = now
        judge.now = now
        judge.frame = transcript.count
        actions = []
        switch event {
        case .attempted(let number, let handshake): attempted(number, handshake)
        case .received(let number, let text): received(number, text)
        case .pinged(let number):
            note("<", "ping (WebSocket)", on: number)
            pinged(number)
        case .broke(let number, let what):
            note("<", what, on: number)
            judge.breaks(.frames, what)
        case .ended(let number): ended(number)
        case .clientEnded(let how): clientEnded(how)
        case .shown(let id, let clientID, let text): show(id, clientID, text)
        case .removed(let id): shown = shown.filter { $0.value.id != id }
        case .tick: break
        }
        runLater()
        checkFirstCommand()
        advance()
        if let violation = judge.violation { finish(.wrong(violation)) }
        return actions
    }

    /// After a close that means stop, or a login, a program may well end.
    private mutating func clientEnded(_ how: String) {
        if acceptedCount == 0 { return finish(.absent) }
        if judge.noAttemptBefore?.rule == .stop || mayNeedLogin { return }
        judge.breaks(.again, "the client has ended: \(how)")
    }

    mutating func finish(_ outcome: ScenarioResult.Outcome) {
        guard result == nil else { return }
        result = ScenarioResult(scenario: scenario.name, outcome: outcome, frames: transcript.newest)
        if let link { actions.append(.cut(link.number)) }
    }

    /// The scenario is over; the client may not know it.
    private func refuse(_ event: TrialEvent) -> [TrialAction] {
        if case .attempted(let number, _) = event { return [.reject(number, status: 503, retryAfter: 1)] }
        return []
    }

    var milliseconds: Int64 { startMilliseconds + now.milliseconds }

    mutating func note(_ direction: Character, _ content: String, on connection: Int) {
        transcript.add(direction, content, connection: connection, at: now)
        judge.frame = transcript.count
    }

    /// Sends a frame on the open connection.
    mutating func send(_ json: String) {
        guard let link, !link.isDeaf else { return }
        note(">", json, on: link.number)
        actions.append(.send(link.number, json))
    }

    /// One message must not be shown under two ids, whether the log has it once or twice.
    private mutating func show(_ id: String, _ clientID: String?, _ text: String) {
        guard let clientID = clientID ?? room.clientIDs[id] else { return }
        if let other = shown[clientID], other.id != id {
            judge.breaks(.once, "\(clientID) is shown as \(other.id) and as \(id)")
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
