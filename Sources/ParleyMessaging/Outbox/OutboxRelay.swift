package import Logging
package import ParleyModel

/// Carries what committed changes have to tell into the logs of their threads.
///
/// - Entries of a thread go in the order of their ids; none before the log has accepted the one in front of it.
/// - An entry may be relayed by any number of processes, any number of times: the log knows the entries that it has
///   (`EventDraft.outboxID`) and answers with the first receipt.
/// - In one process, one caller at a time relays a thread. Those who wait find their entries relayed by then, so that
///   many changes of one thread at once cost one reading of its entries and not many.
///
/// Shared by all who relay in a process.
package struct OutboxRelay: Sendable {
    /// The most entries of a thread that are read at a time. What lies behind as many that are accepted and not yet
    /// stored waits until the store has caught up.
    package static let pageLength = 1000
    /// The most that wait for their turn in one thread.
    private static let maximumWaiting = 4096

    let outbox: any Outbox
    let history: any LogHistory
    package let log: any MessageLog
    let clock: WallClock
    let logger: Logger
    private let locks = KeyedLock<ThreadID>(limit: maximumWaiting)
    let accepted: AcceptedEntries
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - history: says how far a thread is stored.
    ///   - sleep: waits; throws when the task is cancelled.
    package init(
        outbox: any Outbox, history: any LogHistory, log: any MessageLog, clock: WallClock = .system, logger: Logger,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.outbox = outbox
        self.history = history
        self.log = log
        self.clock = clock
        self.logger = logger
        self.sleep = sleep
        accepted = AcceptedEntries(clock: clock)
    }

    /// Relays the pending entries of a thread in their order, `wanted` among them.
    /// - Returns: where the log has those of `wanted` that are events, by their ids. An entry that is not pending any
    ///   more and that this process has not relayed is missing.
    /// - Throws: `unavailable` if the log or the outbox has not answered in time. Then some may be relayed.
    package func relay(
        _ wanted: [OutboxEntry], of thread: ThreadID, within limit: Duration
    ) async throws(MessagingError) -> [Int64: Receipt] {
        let ids = wanted.map(\.id)
        if let known = accepted.all(of: ids) { return known }
        do {
            return try await inTime(limit) { try await takeTurn(thread, wanted) }
        } catch {
            logger.debug(
                "the outbox of a thread could not be relayed", metadata: ["thread": "\(thread)", "error": "\(error)"])
            if let error = error as? MessagingError { throw error }
            throw .unavailable("the message log is away or too busy; the change is made, and will be told")
        }
    }

    /// Waits for an operation no longer than this, even if it does not hear that it is cancelled: a command on its way to
    /// a frozen server does not.
    private func inTime<Value: Sendable>(
        _ limit: Duration, _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let (results, result) = AsyncThrowingStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let work = Task {
            do {
                result.yield(try await operation())
                result.finish()
            } catch {
                result.finish(throwing: error)
            }
        }
        let timer = Task { [sleep] in
            try await sleep(limit)
            result.finish(throwing: AppendError.unavailable("the log has not answered in time"))
        }
        defer {
            work.cancel()
            timer.cancel()
        }
        for try await value in results { return value }
        throw CancellationError()
    }

    private func takeTurn(_ thread: ThreadID, _ wanted: [OutboxEntry]) async throws -> [Int64: Receipt] {
        guard await locks.take(thread) else {
            throw MessagingError.unavailable(
                "too many changes of the thread are being told; this one is made, and will be")
        }
        do {
            let receipts = try await relayAll(of: thread, wanted)
            await locks.give(thread)
            return receipts
        } catch {
            await locks.give(thread)
            throw error
        }
    }

    private func relayAll(of thread: ThreadID, _ wanted: [OutboxEntry]) async throws -> [Int64: Receipt] {
        try Task.checkCancellation()
        let ids = wanted.map(\.id)
        // Whoever had the turn before may have relayed them.
        if let known = accepted.all(of: ids) { return known }
        let entries = try await outbox.outboxEntries(of: thread, before: .max, limit: Self.pageLength)
        try await relay(entries, of: thread)
        if entries.count == Self.pageLength, let last = entries.last?.id, ids.contains(where: { $0 > last }) {
            // What lies in between goes first.
            throw MessagingError.unavailable(
                "too many changes of the thread wait to be stored; this one is made, and will be told")
        }
        if !entries.contains(where: { $0.content == .forgetThread }) {
            // Those that another process has relayed, and that are stored already: the log has their receipts.
            let pending = Set(entries.map(\.id))
            try await relay(wanted.filter { $0.isAppend && !pending.contains($0.id) }, of: thread)
        }
        return accepted.some(of: ids)
    }

    /// Relays entries of one thread, up to the first that cannot be.
    private func relay(_ entries: [OutboxEntry], of thread: ThreadID) async throws {
        var rest = entries[...]
        // What came before the end of a thread is not worth telling: nothing of it is to remain.
        if let last = entries.lastIndex(where: { $0.content == .forgetThread }) {
            try await forget(thread, entries[...last])
            rest = entries[(last + 1)...]
        }
        let known = try await accepted.valid(of: rest.map(\.id)) { try await log.ends(of: [thread])[thread]?.epoch }
        for entry in rest {
            switch entry.content {
            case .append(let body):
                if known.contains(entry.id) { continue }
                var draft = EventDraft(thread: thread, body: body)
                draft.outboxID = entry.id
                var receipt = try await append(draft)
                receipt.isRepeat = false
                accepted.note(entry.id, receipt)
            case .redactUser(let user):
                try await log.redact(user, in: thread)
                try await outbox.complete([entry])
            case .unreadable(let kind):
                throw AppendError.unavailable("only a later version can tell what is of the kind \(kind)")
            case .forgetThread:
                break
            }
        }
    }

    /// Whether a caller in this process was answered with the places of the entries, so that asking for the same again
    /// changes nothing.
    func isAnswered(_ entries: [OutboxEntry]) -> Bool { entries.allSatisfy { accepted.isAnswered($0.id) } }

    func noteAnswered(_ entries: [OutboxEntry]) {
        for entry in entries { accepted.noteAnswered(entry.id) }
    }

    /// Where this process knows the log to have an entry.
    func receipt(of entry: OutboxEntry) -> Receipt? { accepted.some(of: [entry.id])[entry.id] }

    // MARK: The log

    /// Waits for the log no longer than the task does.
    private func append(_ draft: EventDraft) async throws -> Receipt {
        let (replies, reply) = AsyncStream.makeStream(
            of: Result<Receipt, AppendError>.self, bufferingPolicy: .bufferingNewest(1))
        log.append(draft) {
            reply.yield($0)
            reply.finish()
        }
        for await result in replies { return try result.get() }
        throw CancellationError()
    }

    /// Takes everything of a thread out of the log.
    /// - Parameter entries: up to the last that says so.
    private func forget(_ thread: ThreadID, _ entries: ArraySlice<OutboxEntry>) async throws {
        guard let last = entries.last else { return }
        // Asked before it is forgotten: nothing of this epoch is to be stored, which the store may never have heard of.
        let epoch = try await log.ends(of: [thread])[thread]?.epoch
        // Another process may have done it meanwhile, and the thread may have been made again.
        let pending = try await outbox.outboxEntries(of: thread, before: .max, limit: Self.pageLength)
        guard pending.contains(last) else { throw AppendError.unavailable("another process has removed the thread") }
        try await log.forget(thread)
        if entries.count > 1 { try await outbox.complete(Array(entries.dropLast())) }
        try await outbox.completeForgotten(last, epochs: epoch.map { [$0] } ?? [])
    }
}

extension OutboxEntry {
    fileprivate var isAppend: Bool {
        if case .append = content { true } else { false }
    }
}
