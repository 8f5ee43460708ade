package import Logging
import ParleyConcurrency
package import ParleyModel

/// Relays committed outbox entries to the logs of their threads.
///
/// - Entries of a thread are relayed in the order of their ids, each after the log has accepted the preceding one.
/// - Any number of processes may relay an entry, any number of times. The log recognises an entry that it holds
///   (`EventDraft.outboxID`), and returns the first receipt.
/// - Within a process, one caller at a time relays a thread. Waiting callers then find their entries relayed, so that many
///   concurrent changes of a thread cost one read of its entries.
///
/// The whole process shares one value.
package struct OutboxRelay: Sendable {
    /// The maximum number of entries of a thread that are read at a time. If as many are accepted and not yet stored, later
    /// entries wait for the store.
    package static let pageLength = 1000
    /// The maximum number of callers waiting for one thread.
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
    ///   - history: Reports the stored end of a thread.
    ///   - sleep: Waits; throws when the task is cancelled.
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

    /// Relays the pending entries of a thread in order, including `wanted`.
    /// - Returns: The log's receipts for the entries of `wanted` that are events, by entry id. Entries that are no longer
    ///   pending and were not relayed by this process are missing.
    /// - Throws: `unavailable` if the log or the outbox does not respond in time. Some entries may have been relayed.
    package func relay(
        _ wanted: [OutboxEntry], of thread: ThreadID, within limit: Duration
    ) async throws(MessagingError) -> [Int64: Receipt] {
        let ids = wanted.map(\.id)
        if let known = accepted.all(of: ids) { return known }
        do {
            return try await inTime(limit) { try await relayExclusively(thread, wanted) }
        } catch {
            logger.debug(
                "failed to relay the outbox of a thread", metadata: ["thread": "\(thread)", "error": "\(error)"])
            if let error = error as? MessagingError { throw error }
            throw .unavailable(
                "the message log is unavailable or too busy; the change is committed and its event will follow")
        }
    }

    /// Limits the time that the caller waits for an operation, even if the operation ignores cancellation, as a command sent to
    /// a frozen server does.
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

    private func relayExclusively(_ thread: ThreadID, _ wanted: [OutboxEntry]) async throws -> [Int64: Receipt] {
        guard await locks.take(thread) else {
            throw MessagingError.unavailable(
                "too many changes of the thread are waiting; this one is committed and its event will follow")
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
        // The previous holder of the lock may have relayed the entries.
        if let known = accepted.all(of: ids) { return known }
        let entries = try await outbox.outboxEntries(of: thread, limit: Self.pageLength)
        try await relay(entries, of: thread)
        if entries.count == Self.pageLength, let last = entries.last?.id, ids.contains(where: { $0 > last }) {
            // The entries in between must be relayed first.
            throw MessagingError.unavailable(
                "too many changes of the thread are not stored yet; this one is committed and its event will follow")
        }
        if !entries.contains(where: { $0.content == .forgetThread }) {
            // These entries were relayed by another process and are already stored; the log has their receipts.
            let pending = Set(entries.map(\.id))
            try await relay(wanted.filter { $0.isAppend && !pending.contains($0.id) }, of: thread)
        }
        return accepted.some(of: ids)
    }

    /// Relays entries of one thread, up to the first entry that fails.
    private func relay(_ entries: [OutboxEntry], of thread: ThreadID) async throws {
        var rest = entries[...]
        // Entries before the deletion of a thread are skipped, since none of their content may remain.
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
                throw AppendError.unavailable("only a later version can read outbox entries of the kind \(kind)")
            case .forgetThread:
                break
            }
        }
    }

    /// Whether callers in this process already received the receipts of these entries, so that repeating the request changes nothing.
    func isAnswered(_ entries: [OutboxEntry]) -> Bool { entries.allSatisfy { accepted.isAnswered($0.id) } }

    func noteAnswered(_ entries: [OutboxEntry]) {
        for entry in entries { accepted.noteAnswered(entry.id) }
    }

    /// Returns the log position of an entry, if this process knows it.
    func receipt(of entry: OutboxEntry) -> Receipt? { accepted.some(of: [entry.id])[entry.id] }

    // MARK: Log

    /// Appends a draft; returns early if the task is cancelled.
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

    /// Drops the log of a deleted thread.
    /// - Parameter entries: The entries up to the last `forgetThread`.
    private func forget(_ thread: ThreadID, _ entries: ArraySlice<OutboxEntry>) async throws {
        guard let last = entries.last else { return }
        // The epoch is read before the log is dropped: none of its events may be stored, and the store may never have seen it.
        let epoch = try await log.ends(of: [thread])[thread]?.epoch
        // Another process may have dropped the log in the meantime, and the thread may have been created again.
        let pending = try await outbox.outboxEntries(of: thread, limit: Self.pageLength)
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
