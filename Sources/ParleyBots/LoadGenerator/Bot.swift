import NIOCore
import ParleyModel
import ParleyWire

/// One virtual user: its socket, its outbox, its places in its threads. Bound to its crew's event loop.
///
/// Of the v1 dialect it does what a good client does: it resumes with its positions after a reconnect, fetches what is
/// left out, sends again under the same `client_id` what was not acknowledged, and heeds `bye`, close codes and
/// `retry_after_ms`. A classic bot takes the echo of its message for the ack and repeats nothing.
final class Bot {
    enum State: Hashable {
        /// No socket, or not opened yet.
        case away
        case connecting
        /// Upgraded; a v1 socket waits for `hello` and the end of the resume.
        case opening
        /// Everything comes live.
        case live
        /// For good.
        case stopped
    }

    /// What is left out and has to be fetched.
    struct Fetch {
        let membership: Int
        /// The last seq that was fetched.
        var after: Int64
        /// `nil`: to the end of the log.
        let through: Int64?
    }

    /// A command that moves a read cursor.
    struct Move {
        let ref: Int64
        let membership: Int
        let seq: Int64
        /// The server has said that it was moved.
        var isKept = false
    }

    static let maximumMoves = 1000

    /// Refs of commands that are no sends.
    enum Ref {
        static let read: Int64 = 1 << 41
        static let history: Int64 = 1 << 42
        static let resume: Int64 = 1 << 43
    }

    let number: Int
    let isClassic: Bool
    /// Bytes a second that the bot takes for now; `nil` if all that comes.
    private(set) var pace: Int?
    let isSlow: Bool
    let botGroup: BotGroup
    /// By place among this bot's threads, which rise: the thread, and the number of the seat in the crew's checker.
    let threads: [Int32]
    let firstMembership: Int

    var state = State.away
    var socket: BotSocket?
    var outbox = Outbox()
    var sends: Int64 = 0
    var refs: Int64 = 0
    var node: UInt32 = 0
    var ticket: String?
    var policy = ReconnectPolicy()
    var attempts = 0
    var connectStart: Int64 = 0
    /// When the last living socket died; `nil` while there is one, and before the first.
    var diedAt: Int64?
    var hasBeenLive = false
    /// When bytes came last, in monotone microseconds.
    var lastHeard: Int64 = 0
    /// The bot itself has ended the socket, to come back.
    private var isCut = false
    var fetches: [Fetch] = []
    /// Of the `history` that is under way.
    var fetchRef: Int64?
    /// When that was asked for, in monotone microseconds.
    var fetchedAt: Int64 = 0
    /// Where the bot's read cursors may be, for the comparison at the end; of each seat the last that was acknowledged,
    /// and what was asked for since.
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
    var isAtRest: Bool { state == .live && outbox.isEmpty && fetches.isEmpty }

    /// The place of a thread among the bot's; a few comparisons.
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

    // MARK: The socket's life

    /// Opens a socket.
    func connect() {
        guard state == .away, !botGroup.isOver else { return }
        state = .connecting
        connectStart = MonotonicClock.now()
        lastHeard = connectStart
        botGroup.open(self, attempt: attempts)
    }

    func connectFailed(_ error: any Error) {
        guard state == .connecting else { return }
        state = .away
        attempts += 1
        fail("connect")
        comeBack(code: nil, retryAfter: nil)
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

    /// Everything comes live from now on.
    func becameLive() {
        let now = MonotonicClock.now()
        state = .live
        botGroup.figures.connects += 1
        policy.succeeded()
        if let diedAt {
            botGroup.figures.recovery.record(now - diedAt)
        } else {
            botGroup.figures.connect.record(now - connectStart)
        }
        diedAt = nil
        hasBeenLive = true
        botGroup.becameLive(self)
        for index in outbox.entries.indices { write(index) }
        fetchNext()
    }

    func socketEnded(_ ended: BotSocket) {
        guard ended === socket else { return }
        let was = state
        socket = nil
        fetchRef = nil
        guard was != .stopped else { return }
        state = .away
        if was == .live { botGroup.endedLife(self) }
        if diedAt == nil, hasBeenLive { diedAt = MonotonicClock.now() }
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
        comeBack(code: ended.closeCode, retryAfter: ended.retryAfter)
    }

    /// A classic client never knows what became of these.
    private func forgetSent() {
        outbox.removeAll { entry in
            if entry.wasWritten { botGroup.checker.broke(MessageTag(bot: number, number: entry.number)) }
            return entry.wasWritten
        }
    }

    private func comeBack(code: UInt16?, retryAfter: Int?) {
        switch policy.decide(code: code, retryAfter: retryAfter, &botGroup.random) {
        case .stop: state = .stopped
        case .after(let wait): botGroup.after(microseconds: wait) { [self] in botGroup.admit(self) }
        }
    }

    /// Silence for so long, though the server pings every 25 s, means that nobody is there any more: 40 s.
    private static let silence: Int64 = 40_000_000

    /// Ends a socket that nobody speaks on.
    func checkSilence(_ now: Int64) {
        guard state == .live || state == .opening, pace == nil, now - lastHeard > Self.silence else { return }
        fail("silence")
        socket?.close()
    }

    /// Cuts the socket, as a network does; the bot comes back by itself.
    func cut() {
        guard state == .live || state == .opening else { return }
        botGroup.figures.cuts += 1
        comeAgain()
    }

    /// Gives the socket up, and opens another.
    func comeAgain() {
        isCut = true
        socket?.close()
    }

    /// Ends for good.
    func end() {
        state = .stopped
        guard let socket, socket.isConnected else { return }
        socket.close(with: WebSocketClientFrame.close(code: 1000, mask: mask()))
    }

    // MARK: Sends

    /// A message is due.
    /// - Parameters:
    ///   - place: of the thread, among the bot's.
    ///   - scheduled: when it was due; its latency counts from there, whatever comes between.
    func submit(place: Int, scheduled: Int64, size: Int, wantsStored: Bool) {
        sends += 1
        let entry = Outbox.Entry(
            number: sends, membership: place, scheduled: scheduled, size: size, wantsStored: wantsStored && !isClassic)
        guard outbox.append(entry) else {
            sends -= 1
            return fail("outbox_full")
        }
        guard state == .live else { return }
        write(outbox.count - 1)
        if botGroup.isMeasured(scheduled) { botGroup.figures.lateness.record(MonotonicClock.now() - scheduled) }
    }

    func write(_ index: Int) {
        guard let socket, socket.isConnected else { return }
        var entry = outbox[index]
        if entry.waits { return }
        if entry.wasWritten {
            botGroup.figures.resent += 1
        } else {
            entry.node = node
            entry.wasWritten = true
            outbox[index] = entry
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
    /// A slow reader reads as fast as it can from now on, over reconnects too.
    func hurry() {
        pace = nil
        // It may have been told nothing for long, and not because nobody is there.
        lastHeard = MonotonicClock.now()
        socket?.hurry()
    }
}
