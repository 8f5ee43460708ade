/// The histories of all threads, checked for consistency and indexed for lookups.
struct HistoryIndex {
    private let histories: [ThreadHistory]
    /// By thread, the index of each seq among its events.
    private var places: [[Int64: Int]] = []
    /// The position of each message of a bot.
    private(set) var messages: [UInt64: (thread: Int, seq: Int64)] = [:]
    /// Missing seqs between two events of one epoch, with the event that follows. Between two epochs seqs may jump.
    private(set) var gaps: [(thread: Int, seqs: ClosedRange<Int64>, tag: MessageTag)] = []

    init(_ histories: [ThreadHistory], _ violations: inout Violations) {
        self.histories = histories
        for (thread, history) in histories.enumerated() { index(history, thread, &violations) }
    }

    private mutating func index(_ history: ThreadHistory, _ thread: Int, _ violations: inout Violations) {
        var places: [Int64: Int] = [:]
        places.reserveCapacity(history.events.count)
        var last: Int64 = 0
        var epoch = history.events.first?.epoch
        for (place, event) in history.events.enumerated() {
            let (seq, bot) = (event.seq, event.tag.isOurs ? event.tag.bot : nil)
            if places.updateValue(place, forKey: seq) != nil {
                violations.add(
                    GuaranteeViolation(.seqReused, thread: thread, seq: seq, bot: bot, "is in the history twice"))
            } else if seq <= last {
                violations.add(
                    GuaranteeViolation(
                        .reordered, thread: thread, seq: seq, bot: bot, "follows a higher seq in the history"))
            } else if seq != last + 1, event.epoch == epoch {
                gaps.append((thread, last + 1...seq - 1, event.tag))
            }
            (last, epoch) = (seq, event.epoch)
            guard event.tag.isOurs else { continue }
            if let other = messages.updateValue((thread, seq), forKey: event.tag.raw) {
                let elsewhere = other.thread == thread ? "seq \(other.seq)" : "thread \(other.thread)"
                violations.add(
                    GuaranteeViolation(
                        .doubled, thread: thread, seq: seq, bot: bot, "\(event.tag) stands at \(elsewhere) too"))
            }
        }
        self.places.append(places)
    }

    func event(_ thread: Int, _ seq: Int64) -> ThreadHistory.Event? {
        places[thread][seq].map { histories[thread].events[$0] }
    }

    func events(_ thread: Int) -> [ThreadHistory.Event] { histories[thread].events }

    /// The newest seq; 0 if there is none.
    func head(_ thread: Int) -> Int64 { histories[thread].events.last?.seq ?? 0 }

    /// The newest seq of a message; 0 if there is none.
    func lastMessage(_ thread: Int) -> Int64 { histories[thread].events.last { $0.isMessage }?.seq ?? 0 }

    /// The number of messages above `seq` that count as unread.
    func unread(_ thread: Int, above seq: Int64) -> Int64 {
        Int64(histories[thread].events.reversed().prefix { $0.seq > seq }.count { $0.isMessage && !$0.isDeleted })
    }
}
