package import ParleyModel

/// Consecutive seqs of a thread that a batch has stored.
package struct EventRun: Hashable, Sendable {
    package let thread: ThreadID
    /// The epoch of the stored rows. A row at the same seq of a thread that was deleted and made again has another one.
    package let epoch: String
    package let first: Int64
    package private(set) var count: Int

    package init(thread: ThreadID, epoch: String, first: Int64, count: Int = 1) {
        self.thread = thread
        self.epoch = epoch
        self.first = first
        self.count = count
    }

    /// The seq after the run. Stored seqs are far below the maximum (`EventRules`).
    private var end: Int64 { first &+ Int64(count) }

    /// The seqs of the run.
    package var seqs: [Int64] { (0..<count).map { first &+ Int64($0) } }

    /// Extends the run by a seq, if that follows it.
    /// - Returns: whether it does.
    fileprivate mutating func extend(to seq: Int64, epoch: String) -> Bool {
        guard seq == end, epoch == self.epoch else { return false }
        count += 1
        return true
    }

    // MARK: Text

    /// One line: the first seq, the number of seqs, the epoch, and the thread.
    fileprivate var line: String { "\(first) \(count) \(epoch) \(thread.text)" }

    fileprivate init?(line: Slice<UnsafeBufferPointer<UInt8>>) {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 4, let first = Int64(words[0]), let count = Int(words[1]), first > 0, count > 0 else {
            return nil
        }
        self.init(thread: ThreadID(trusted: words[3]), epoch: words[2], first: first, count: count)
    }

    /// Returns runs as a text for a column.
    package static func text(_ runs: [EventRun]) -> String {
        runs.map(\.line).joined(separator: "\n")
    }

    /// Decodes the text of a column.
    /// - Throws: `StoreError.failed` if it is damaged.
    package static func all(in text: String) throws -> [EventRun] {
        var text = text
        // Characters would cost several times as much, and a backlog has many lines.
        return try text.withUTF8 { bytes in
            try bytes.split(separator: UInt8(ascii: "\n")).map { line in
                guard let run = EventRun(line: line) else {
                    let line = String(decoding: line, as: UTF8.self)
                    throw StoreError.failed("a row of event_batches is damaged: \(line)")
                }
                return run
            }
        }
    }
}

/// The events that a transaction stores, by thread and in the order of storing.
package struct EventJournal: Sendable {
    private var runs: [[EventRun]] = []
    private var places: [ThreadID: Int] = [:]

    package init() {}

    package var isEmpty: Bool { runs.isEmpty }

    /// The runs of each thread in order; threads in the order of their first events.
    package var all: [EventRun] { runs.flatMap { $0 } }

    /// Adds an event that is stored at `seq`.
    package mutating func add(_ event: LogEvent, at seq: Int64) {
        let epoch = event.position.epoch.text
        guard let place = places[event.thread] else {
            places[event.thread] = runs.count
            runs.append([EventRun(thread: event.thread, epoch: epoch, first: seq)])
            return
        }
        let last = runs[place].count - 1
        if runs[place][last].extend(to: seq, epoch: epoch) { return }
        runs[place].append(EventRun(thread: event.thread, epoch: epoch, first: seq))
    }
}
