import NIOCore
import ParleyClientCore
import ParleyModel
import ParleyWire

/// One virtual user: its socket, its unanswered sends, its places in its threads. Bound to the event loop of its group.
///
/// A v1 bot is a well-behaved client: it resumes with its positions after a reconnect, fetches skipped events, repeats
/// unacknowledged sends under the same `client_id`, and honours `bye`, close codes and `retry_after_ms`. A classic bot
/// takes the echo of its message for the ack and repeats nothing. `ClientConnectionMachine` decides when to connect
/// (`+Connection`).
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
    var pace: Int?
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
    /// Decides when to connect, ping and give up.
    var connection = ClientConnectionMachine(policy: .loadGenerator)
    /// The ticket of the present attempt; `nil` to present the credentials.
    var ticket: String?
    var attempts = 0
    var connectStart: Int64 = 0
    /// When the last live socket ended; `nil` while there is one, and before the first.
    var disconnectedAt: Int64?
    var hasBeenLive = false
    /// When bytes last arrived, in monotonic microseconds.
    var lastReceived: Int64 = 0
    /// The time of the last bytes that `connection` was told of.
    var heardAt: Int64 = 0
    /// The bot has cut the socket itself, in order to reconnect.
    var isCut = false
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
        let message = V1ClientCommand.Message(
            thread: botGroup.population.threadIDs[Int(threads[entry.membership])].text,
            text: tag.text(size: entry.size),
            clientID: isClassic ? nil : entry.name.canonical, wantsStored: entry.wantsStored)
        write(.message(message), ref: isClassic ? nil : entry.number, to: socket)
    }

    func write(_ command: V1ClientCommand, ref: Int64? = nil, to socket: BotSocket) {
        socket.send(WebSocketClientFrame.frame(.text, ByteBuffer(bytes: command.json(ref: ref)), mask: mask()))
    }
}
