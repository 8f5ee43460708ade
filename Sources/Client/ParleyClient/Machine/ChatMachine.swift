/// The rules of the client as a value: events in, changes and actions out. It has no clock, no socket and no database.
///
/// It consists of ``ClientConnectionMachine`` (when to connect), the positions of threads (`+Threads`, `+History`), the
/// outbox (`+Outbox`), its files (`+Uploads`), mutes (`+Mutes`), the state of rooms (`+Rooms`), and ephemeral state
/// (`+Ephemeral`).
package struct ChatMachine: Sendable {
    /// The purpose of a command, which its answer with the same `ref` completes.
    package enum Request: Hashable, Sendable {
        case entry(String)
        case gap(String, after: Int)
        case history(HistoryRequest)
        case read(String, seq: Int)
        case resume
        case other
    }

    /// A page that a collection waits for.
    package struct HistoryRequest: Hashable, Sendable {
        let number: Int
        let thread: String
        let before: Int?
        let after: Int?
        let limit: Int
        /// The number of times the server has answered that it is unable to.
        var refusals = 0
    }

    /// The limits of the outbox and of catching up.
    package struct Limits: Sendable {
        var catchUp: Int
        var attemptsWhileUnavailable: Int
        /// The maximum number of outbox commands and history requests in flight.
        var inFlight: Int
        var historyPage: Int
        /// The maximum size of a `resume` in bytes. A frame has at most 65,536 bytes.
        var resumeBytes: Int
        /// The maximum number of changes of a thread kept for a page that is on its way.
        var lateChanges: Int
        /// The maximum number of concurrent uploads. Each belongs to a different thread.
        var uploads: Int

        package init(
            catchUp: Int = 5_000, attemptsWhileUnavailable: Int = 10, inFlight: Int = 16, historyPage: Int = 200,
            resumeBytes: Int = 60_000, lateChanges: Int = 500, uploads: Int = 3
        ) {
            self.catchUp = catchUp
            self.attemptsWhileUnavailable = attemptsWhileUnavailable
            self.inFlight = inFlight
            self.historyPage = historyPage
            self.resumeBytes = resumeBytes
            self.lateChanges = lateChanges
            self.uploads = uploads
        }
    }

    package let limits: Limits
    package var connection: ClientConnectionMachine
    package var random: ClientRandom
    package var account: ChatUser?
    /// The text of the user's ID, as frames have it.
    package var accountID: String? { account?.id.rawValue }
    package var threads: [String: ThreadRecord]
    package var outbox: ClientOutbox
    package var uploads = Uploads()
    package var ephemeral = Ephemeral()
    package var mutes = MuteState()
    package var slow = SlowMode()
    /// The IDs of the users that the user blocks.
    package var blocks: Set<String> = []
    package var requests: [Int64: Request] = [:]
    package var textLimit = 4096
    /// Whether hello was received on this connection.
    package var isGreeted = false
    /// The earliest time of the next outbox command.
    package var sendGate = Duration.zero
    package var isSendGateSet = false
    /// The threads whose missing events must be fetched.
    package var gaps: [String] = []
    /// The earliest time of the next history request.
    package var historyGate: Duration?
    /// The pages to request again after `historyGate`.
    package var refusedHistories: [HistoryRequest] = []
    /// Changes of messages that were received while a collection waits for a page of their thread.
    package var lateChanges: [String: [ThreadEvent]] = [:]
    /// Threads that REST has reported since this connection was begun: its hello may be older.
    package var listedBeforeHello: Set<String> = []
    /// The earliest time of the next read mark.
    package var readGate: Duration?
    private var lastRef: Int64 = 0
    package var output = MachineOutput()
    /// The threads whose records are stored with this output.
    private var dirty: Set<String> = []
    package private(set) var now = Now(uptime: .zero, milliseconds: 0)

    package init(policy: ReconnectPolicy = ReconnectPolicy(), limits: Limits = Limits(), seed: UInt64? = nil) {
        self.limits = limits
        connection = ClientConnectionMachine(policy: policy)
        random = ClientRandom(seed: seed)
        threads = [:]
        outbox = ClientOutbox()
    }

    /// Restores the stored state.
    package mutating func restore(_ stored: StoredState) {
        account = stored.account
        threads = Dictionary(stored.threads.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        outbox = ClientOutbox(stored.outbox)
        requests = [:]
        uploads.forgetAll()
        gaps = []
        blocks = Set(stored.blocks)
        mutes.reported = []
        mutes.earliestEnd = threads.values.compactMap { $0.mute?.until }.min()
    }

    /// The time of the next `tick`.
    package var deadline: Duration? {
        [
            connection.deadline, isSendGateSet ? sendGate : nil, historyGate, readGate, uploads.deadline,
            ephemeral.deadline, muteDeadline, slow.deadline,
        ].compactMap { $0 }.min()
    }

    /// Handles an event.
    package mutating func handle(_ event: MachineEvent, at now: Now) -> MachineOutput {
        self.now = now
        output = MachineOutput()
        let phase = connection.phase
        switch event {
        case .start: perform(connection.start(at: now.uptime))
        case .stop:
            perform(connection.stop())
            connectionEnded()
        case .networkChanged: perform(connection.networkChanged(at: now.uptime))
        case .opened: connection.opened(at: now.uptime)
        case .openFailed(let status, let retryAfter):
            perform(connection.failed(status: status, retryAfter: retryAfter, at: now.uptime, using: &random))
        case .credentialsMissing: connection.hasNoCredentials()
        case .frames(let frames):
            connection.heard(at: now.uptime)
            for frame in frames { receive(frame) }
        case .activity: connection.heard(at: now.uptime)
        case .closed(let code):
            perform(connection.closed(code: code, at: now.uptime, using: &random))
            connectionEnded()
        case .tick: tick()
        case .send(let draft, let thread, let id, let files): send(draft, to: thread, id: id, files)
        case .change(let content, let thread, let id): change(content, in: thread, id: id)
        case .retry(let id): retry(id)
        case .discard(let id): discard(id)
        case .markRead(let thread, let seq): markRead(thread, seq: seq)
        case .typing(let thread, let isOn): sendTyping(thread, isOn: isOn)
        case .watch(let users): watch(users)
        case .authenticate(let token): if isGreeted { transmit(.auth(token: token), for: .other) }
        case .history(let request, let thread, let before, let after, let limit):
            ask(HistoryRequest(number: request, thread: thread, before: before, after: after, limit: limit))
        case .listed(let threads): listed(threads)
        case .unreadCounted(let thread, let seq, let count): unreadCounted(thread, seq: seq, count: count)
        case .answered(let step, let answer): answered(step, answer)
        }
        pumpGaps()
        pumpUploads()
        pumpOutbox()
        for thread in dirty {
            guard let record = threads[thread] else { continue }
            output.changes.append(.thread(record))
            if let end = record.mute?.until { mutes.note(end: end) }
        }
        dirty = []
        output.isStateChanged = connection.phase != phase
        return output
    }

    private mutating func tick() {
        if isSendGateSet, now.uptime >= sendGate { isSendGateSet = false }
        if let gate = historyGate, now.uptime >= gate {
            historyGate = nil
            askAgain()
        }
        if let gate = readGate, now.uptime >= gate {
            readGate = nil
            sendReads()
        }
        uploads.open(at: now.uptime)
        for thread in ephemeral.expire(at: now.uptime) { note(list: thread) }
        endMutes()
        for thread in slow.expire(at: now.uptime) { note(list: thread) }
        let steps = connection.tick(at: now.uptime, using: &random)
        if steps.contains(.disconnect) { connectionEnded() }
        perform(steps)
    }

    private mutating func receive(_ frame: ServerFrame) {
        if let ref = frame.answeredRef { connection.answered(ref) }
        switch frame {
        case .hello(let hello): greet(hello)
        case .ack(let ack): acknowledged(ack)
        case .error(let refusal): refused(refusal)
        case .page(let page): received(page)
        case .resumed(let results, let ref): resumed(results, ref)
        case .behind(let ranges):
            for (thread, seqs) in ranges.sorted(by: { $0.key < $1.key }) { missing(thread, upTo: seqs.upperBound) }
        case .bye(let delay, let ticket): connection.bye(after: delay, ticket: ticket, at: now.uptime)
        case .event(let event): received(event)
        case .read(let thread, let user, let seq, let date):
            receivedRead(thread: thread, user: user, seq: seq, date: date)
        case .typing(let thread, let user, let name, let isOn):
            receivedTyping(thread: thread, user: user, name: name, isOn: isOn)
        case .presence(let user, let isOnline, let lastSeen):
            receivedPresence(user: user, isOnline: isOnline, lastSeen: lastSeen)
        case .user(let user): received(user)
        case .threadAdded(let fields): added(fields)
        case .threadRemoved(let thread): remove(thread)
        case .mute(let thread, let mute): receivedMute(thread: thread, mute)
        case .entrances(let thread): receivedEntrances(of: thread)
        case .room(let thread, let fields): receivedRoom(thread: thread, fields)
        case .blocks(let users): receivedBlocks(users)
        case .pong, .unknown: break
        }
    }

    // MARK: The connection

    private mutating func perform(_ steps: [ClientConnectionMachine.Step]) {
        for step in steps {
            switch step {
            case .connect(let ticket, let reason):
                listedBeforeHello = []
                output.actions.append(.connect(ticket: ticket, reason))
            case .disconnect: output.actions.append(.disconnect)
            case .ping: transmit(.ping(now.milliseconds))
            }
        }
    }

    /// Ends the connection, and connects again after a delay.
    mutating func reconnect() {
        perform([.disconnect])
        perform(connection.closed(code: nil, at: now.uptime, using: &random))
        connectionEnded()
    }

    /// Ends the connection permanently.
    mutating func end(_ reason: LogoutReason) {
        perform([.disconnect])
        perform(connection.logOut(reason))
        connectionEnded()
    }

    private mutating func connectionEnded() {
        guard isGreeted || !requests.isEmpty else { return }
        isGreeted = false
        isSendGateSet = false
        historyGate = nil
        readGate = nil
        uploads.connectionEnded()
        slow.connectionEnded()
        gaps = []
        for (_, request) in requests.sorted(by: { $0.key < $1.key }) {
            if case .history(let request) = request { refusedHistories.append(request) }
        }
        for request in refusedHistories { act(.answer(request: request.number, .failure(.offline))) }
        refusedHistories = []
        requests = [:]
        lateChanges = [:]
        outbox.connectionEnded()
        for id in threads.keys {
            threads[id]?.isFetching = false
            threads[id]?.isReadInFlight = false
        }
        if ephemeral.connectionEnded() {
            output.isPresenceChanged = true
            output.isListChanged = true
        }
    }

    // MARK: Output

    /// Sends a command with a new `ref`, unless its answer has no purpose.
    package mutating func transmit(_ command: V1ClientCommand, for request: Request? = nil) {
        if let request {
            lastRef += 1
            requests[lastRef] = request
            connection.sent(lastRef, at: now.uptime)
        }
        let json = command.json(ref: request == nil ? nil : lastRef)
        output.actions.append(.transmit(String(decoding: json, as: UTF8.self)))
    }

    /// The `ref` of the latest command.
    package var newestRef: Int64 { lastRef }

    package mutating func store(_ change: StoreChange) { output.changes.append(change) }
    package mutating func act(_ action: MachineAction) { output.actions.append(action) }

    /// Notes that the record of a thread has changed. The list shows it.
    package mutating func note(record thread: String) {
        dirty.insert(thread)
        output.isListChanged = true
    }

    /// Notes that the list shows a thread differently, although its record has not changed.
    package mutating func note(list thread: String) { output.isListChanged = true }

    package mutating func note(messages thread: String) {
        output.messages.insert(thread)
        output.isListChanged = true
    }

    package mutating func note(reset thread: String) {
        output.resets.insert(thread)
        note(messages: thread)
    }

    package mutating func notePresence() { output.isPresenceChanged = true }

    package mutating func noteProfiles() { output.isProfilesChanged = true }

    /// Notes that lists of invitations and requests may have changed.
    /// - Parameter thread: The thread of the lists; `nil` for the user's own invitations.
    private mutating func receivedEntrances(of thread: String?) {
        guard let thread else { return output.isInvitationsChanged = true }
        if threads[thread] != nil { output.entrances.insert(thread) }
    }

    /// Notes that changes of these lists before hello were not reported.
    mutating func noteHello() {
        output.isGreeted = true
        output.isInvitationsChanged = true
    }
}
