import ParleyBots

/// A small run as a list of events, so that a test can change one of them: two bots, one thread, ten messages; the
/// second bot is disconnected for a while.
struct Scenario {
    enum Event: Equatable {
        case opened(bot: Int, seq: Int64)
        case saw(bot: Int, seq: Int64, message: Int, epoch: String = "e1")
        case closed(bot: Int)
        case acked(message: Int, seq: Int64, isStored: Bool = false, epoch: String = "e1")
        case leftOut(bot: Int, ClosedRange<Int64>)
        case fetched(bot: Int, seq: Int64, message: Int)
        case rolledBack(bot: Int, from: Int64)
        case replayed(bot: Int, through: Int64)
        case unanswered(message: Int)
        case broke(message: Int)
    }

    static let messages = 10

    var isClassic: Bool
    var mayRollBack = false
    var events: [Event] = []
    var history: [ThreadHistory.Event]
    var unread: [UnreadCount]

    /// - Parameter isClassic: for both bots; the second is not sent what it has missed.
    init(isClassic: Bool) {
        self.isClassic = isClassic
        events = [.opened(bot: 0, seq: 0), .opened(bot: 1, seq: 0)]
        for message in 1...Self.messages {
            let seq = Int64(message)
            if message == 4 { events.append(.closed(bot: 1)) }
            if message == 7 {
                if isClassic {
                    events.append(.opened(bot: 1, seq: 6))
                } else {
                    for missed in 4...6 { events.append(.saw(bot: 1, seq: Int64(missed), message: missed)) }
                    events.append(.replayed(bot: 1, through: 6))
                }
            }
            events.append(.saw(bot: 0, seq: seq, message: message))
            if !(4...6).contains(message) { events.append(.saw(bot: 1, seq: seq, message: message)) }
            events.append(.acked(message: message, seq: seq))
        }
        history = (1...Self.messages).map {
            ThreadHistory.Event(epoch: "e1", seq: Int64($0), tag: Self.tag($0))
        }
        unread = [
            UnreadCount(bot: 0, thread: 0, unread: 0, readSeq: 10),
            UnreadCount(bot: 1, thread: 0, unread: 1, readSeq: 9),
        ]
    }

    /// Even messages are from bot 0, odd ones from bot 1.
    static func tag(_ message: Int) -> MessageTag { MessageTag(bot: message % 2, number: Int64((message + 1) / 2)) }

    static let population: Population = {
        var plan = LoadPlan()
        (plan.bots, plan.threads, plan.members) = (2, 1, 2)
        return Population(plan, run: "scenario")
    }()

    func verdict() -> Verdict {
        let memberships = [0, 1].map { BotMembership(bot: $0, thread: 0, isClassic: isClassic) }
        var checker = Checker(threads: 1, memberships: memberships, mayRollBack: mayRollBack)
        for event in events { tell(&checker, event) }
        return HistoryChecker.verdict(
            Self.population, checkers: [checker], histories: [ThreadHistory(events: history)], unread: unread)
    }

    private func tell(_ checker: inout Checker, _ event: Event) {
        switch event {
        case .opened(let bot, let seq):
            if isClassic {
                checker.openedClassic(bot, isFromStart: seq == 0)
            } else {
                Self.bytes("e1") { checker.opened(bot, epoch: $0, seq: seq) }
            }
        case .saw(let bot, let seq, let message, let epoch):
            _ = Self.bytes(epoch) { checker.received(bot, epoch: $0, seq: seq, Self.tag(message)) }
        case .closed(let bot): checker.closed(bot)
        case .acked(let message, let seq, let isStored, let epoch):
            Self.bytes(epoch) {
                checker.acked(Self.tag(message), thread: 0, epoch: $0, seq: seq, isStored: isStored)
            }
        case .leftOut(let bot, let seqs): _ = checker.leftOut(bot, seqs)
        case .fetched(let bot, let seq, let message):
            Self.bytes("e1") { checker.fetched(bot, epoch: $0, seq: seq, Self.tag(message)) }
        case .rolledBack(let bot, let seq): checker.rolledBack(bot, from: seq)
        case .replayed(let bot, let seq): checker.replayed(bot, through: seq)
        case .unanswered(let message): checker.unanswered(Self.tag(message), message % 2)
        case .broke(let message): checker.missedEcho(of: Self.tag(message))
        }
    }

    private static func bytes<Value>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        Array(text.utf8).withUnsafeBytes(body)
    }

    /// The index of an event in the list.
    func index(_ event: Event) -> Int { events.firstIndex(of: event) ?? events.endIndex }

    mutating func drop(_ event: Event) { events.remove(at: index(event)) }
}
