import NIOCore
import ParleyModel
import ParleyWire

/// One virtual user: its socket, its unanswered sends, its places in its threads. Bound to the event loop of its group.
///
/// A v1 bot is a well-behaved client: it resumes with its positions after a reconnect, fetches skipped events, repeats
/// unacknowledged sends under the same `client_id`, and honours `bye`, close codes and `retry_after_ms`. A classic bot
/// takes the echo of its message for the ack and repeats nothing.
final class Bot {
    enum State: Hashable {
        /// No socket, or not open yet.
        case disconnected
        case connecting
        /// Upgraded; a v1 socket waits for `hello` and the end of the resume.
        case opening
        /// Everything arrives live.
        case live
        /// Permanently stopped.
        case stopped
    }

    /// Skipped events to be fetched.
    struct Fetch {
        let membership: Int
        /// The last seq fetched.
        var after: Int64
        /// `nil` for the end of the log.
        let through: Int64?
    }

    /// A command that moves a read cursor.
    struct Move {
        let ref: Int64
        let membership: Int
        let seq: Int64
        /// The server has acknowledged it.
        var isKept = false
    }

    static let maximumMoves = 1000

    /// Refs of commands other than sends.
    enum Ref {
        static let read: Int64 = 1 << 41
        static let history: Int64 = 1 << 42
        static let resume: Int64 = 1 << 43
    }

    let number: Int
    let isClassic: Bool
    /// Present reading speed in bytes per second; `nil` if unlimited.
    private(set) var pace: Int?
    let isSlow: Bool
    let botGroup: BotGroup
    /// By index among this bot's threads, ascending: the thread, and the index of the membership in the group's
    /// checker.
    let threads: [Int32]
    let firstMembership: Int

    var state = State.disconnected
    var socket: BotSocket?
    var unanswered = UnansweredSends()
    var sends: Int64 = 0
    var refs: Int64 = 0
    var node: UInt32 = 0
    var ticket: String?
    var policy = ReconnectPolicy()
    var attempts = 0
    var connectStart: Int64 = 0
    /// When the last live socket ended; `nil` while there is one, and before the first.
    var disconnectedAt: Int64?
    var hasBeenLive = false
    /// When bytes last arrived, in monotonic microseconds.
    var lastReceived: Int64 = 0
    /// Microseconds between two pings of the server, as hello says.
    var pingInterval: Int64 = 25_000_000
    /// The bot has cut the socket itself, in order to reconnect.
    private var isCut = false
    var fetches: [Fetch] = []
    /// The ref of the pending `history`.
    var fetchRef: Int64?
    /// When it was requested, in monotonic microseconds.
    var fetchedAt: Int64 = 0
    /// Where the bot's read cursors may be, for the comparison at the end: of each membership the last acknowledged
    /// move and all later ones.
    var moves: [Move] = []
    var lastError = "it never connected"

    init(number: Int, botGroup: BotGroup, threads: [Int32], firstMembership: Int, isClassic: Bool, pace: Int?) {
        self.number = number
        self.botGroup = botGroup
        self.threads = threads
        self.firstMembership = firstMembership
        self.isClassic = isClassic
        self.pace = pace
        isSlow = pace != nil
        attempts = number
    }

    /// Whether nothing of this bot is under way.
    var isAtRest: Bool { state == .live && unanswered.isEmpty && fetches.isEmpty }

    /// The index of a thread among the bot's threads.
    func place(of thread: Int) -> Int? {
        guard threads.count > 8 else { return threads.firstIndex(of: Int32(thread)) }
        var (low, high) = (0, threads.count)
        while low < high {
            let middle = (low + high) / 2
            if threads[middle] < Int32(thread) { low = middle + 1 } else { high = middle }
        }
        return low < threads.count && threads[low] == Int32(thread) ? low : nil
    }

    func mask() -> UInt32 { UInt32(truncatingIfNeeded: botGroup.random.next()) }

    func fail(_ code: String) {
        lastError = code
        botGroup.fail(code)
    }

    // MARK: Socket lifecycle

    /// Opens a socket.
    func connect() {
        guard state == .disconnected, !botGroup.isOver else { return }
        state = .connecting
        connectStart = MonotonicClock.now()
        lastReceived = connectStart
        botGroup.open(self, attempt: attempts)
    }

    func connectFailed(_ error: any Error) {
        guard state == .connecting else { return }
        state = .disconnected
        attempts += 1
        fail("connect")
        scheduleReconnect(code: nil, status: nil, retryAfter: nil)
    }

    func upgraded() {
        guard state == .connecting else { return }
        state = .opening
        guard isClassic else { return }
        for place in threads.indices {
            botGroup.checker.openedClassic(firstMembership + place, isFromStart: !hasBeenLive && !botGroup.hasBegun)
        }
        becameLive()
    }

    /// Everything arrives live from now on.
    func becameLive() {
        let now = MonotonicClock.now()
        state = .live
        botGroup.figures.connects += 1
        policy.succeeded()
        if let disconnectedAt {
            botGroup.figures.recovery.record(now - disconnectedAt)
        } else {
            botGroup.figures.connect.record(now - connectStart)
        }
        disconnectedAt = nil
        hasBeenLive = true
        botGroup.becameLive(self)
        for index in unanswered.entries.indices { write(index) }
        fetchNext()
    }

    func socketEnded(_ ended: BotSocket) {
        guard ended === socket else { return }
        let was = state
        socket = nil
        fetchRef = nil
        guard was != .stopped else { return }
        state = .disconnected
        if was == .live { botGroup.endedLife(self) }
        if disconnectedAt == nil, hasBeenLive { disconnectedAt = MonotonicClock.now() }
        guard !botGroup.isOver else { return }
        for place in threads.indices { botGroup.checker.closed(firstMembership + place) }
        if isClassic { forgetSent() }
        if isCut {
            isCut = false
        } else if let status = ended.status {
            fail("http_\(status)")
        } else {
            fail("close_\(ended.closeCode ?? 1006)")
        }
        if ended.status == 401 || ended.closeCode.map({ (4100..<4200).contains($0) }) == true { ticket = nil }
        attempts += 1
        scheduleReconnect(code: ended.closeCode, status: ended.status, retryAfter: ended.retryAfter)
    }

    /// A classic client never learns the result of these sends.
    private func forgetSent() {
        unanswered.removeAll { entry in
            if entry.wasWritten { botGroup.checker.missedEcho(of: MessageTag(bot: number, number: entry.number)) }
            return entry.wasWritten
        }
    }

    private func scheduleReconnect(code: UInt16?, status: Int?, retryAfter: Int?) {
        switch policy.decide(code: code, status: status, retryAfter: retryAfter, &botGroup.random) {
        case .stop: state = .stopped
        case .after(let wait): botGroup.after(microseconds: wait) { [self] in botGroup.admit(self) }
        }
    }

    /// How long a ping waits for an answer, in microseconds.
    private static let pongPatience: Int64 = 10_000_000

    /// Asks a socket that has been silent for a sign of life, and closes it if there is none. Classic bots, whose
    /// dialect has no ping, wait as long.
    func checkSilence(_ now: Int64) {
        guard state == .live || state == .opening, pace == nil else { return }
        let silence = now - lastReceived
        // The server's ping may be a little late.
        let tolerated = pingInterval + pingInterval / 4
        if silence > tolerated + Self.pongPatience {
            fail("silence")
            socket?.close()
        } else if silence > tolerated, state == .live, !isClassic, let socket {
            write(V1Request(.ping(now)), to: socket)
        }
    }

    /// Cuts the socket like a network failure; the bot then reconnects.
    func cut() {
        guard state == .live || state == .opening else { return }
        botGroup.figures.cuts += 1
        reconnect()
    }

    /// Abandons the socket and opens another.
    func reconnect() {
        isCut = true
        socket?.close()
    }

    /// Stops permanently.
    func end() {
        state = .stopped
        guard let socket, socket.isConnected else { return }
        socket.close(with: WebSocketClientFrame.close(code: 1000, mask: mask()))
    }

    // MARK: Sends

    /// Sends a message that is due.
    /// - Parameters:
    ///   - place: the index of the thread among the bot's threads.
    ///   - scheduled: when it was due; its latency counts from there, whatever delays it.
    func submit(place: Int, scheduled: Int64, size: Int, wantsStored: Bool) {
        sends += 1
        let entry = UnansweredSends.Entry(
            number: sends, membership: place, scheduled: scheduled, size: size, wantsStored: wantsStored && !isClassic)
        guard unanswered.append(entry) else {
            sends -= 1
            return fail("outbox_full")
        }
        guard state == .live else { return }
        write(unanswered.count - 1)
        if botGroup.isMeasured(scheduled) { botGroup.figures.lateness.record(MonotonicClock.now() - scheduled) }
    }

    func write(_ index: Int) {
        guard let socket, socket.isConnected else { return }
        var entry = unanswered[index]
        if entry.waits { return }
        if entry.wasWritten {
            botGroup.figures.resent += 1
        } else {
            entry.node = node
            entry.wasWritten = true
            unanswered[index] = entry
            botGroup.figures.sent += 1
        }
        let tag = MessageTagText(
            tag: MessageTag(bot: number, number: entry.number), scheduled: entry.scheduled, node: entry.node)
        let thread = botGroup.population.threadIDs[Int(threads[entry.membership])]
        let text = tag.text(size: entry.size)
        let send =
            isClassic
            ? V1Send(thread: thread, text: text)
            : V1Send(
                thread: thread, text: text, clientID: entry.name.canonical,
                level: entry.wantsStored ? .stored : .accepted)
        write(V1Request(ref: isClassic ? nil : entry.number, .send(send)), to: socket)
    }

    func write(_ request: V1Request, to socket: BotSocket) {
        socket.send(WebSocketClientFrame.frame(.text, V1ClientEncoder.encode(request), mask: mask()))
    }
}

extension Bot {
    /// Lets a slow reader read at full speed from now on, across reconnects too.
    func readAtFullSpeed() {
        pace = nil
        // Its silence so far does not mean that the connection is dead.
        lastReceived = MonotonicClock.now()
        socket?.readAtFullSpeed()
    }
}
