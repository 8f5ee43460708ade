package import ParleyModel
import ParleyStorage

extension ModelDatabase: MessageStore {
    package func write(_ batches: [IngestBatch]) async throws(StoreError) -> [[StoreOutcome]] {
        guard batches.contains(where: { !$0.entries.isEmpty }) else { return batches.map { _ in [] } }
        return try await write(.write) { tables, context in
            try BatchTransaction.write(batches, to: &tables, context)
        }
    }

    // MARK: Threads of a user

    package func inbox(of user: UserID) async throws(StoreError) -> [InboxEntry] {
        try await read(.page) { tables in
            try tables.summaries(of: user).filter { !$0.membership.options.isArchived }.map {
                InboxEntry(thread: $0.membership.thread, lastMessage: $0.lastMessage, unreadCount: $0.unreadCount)
            }
        }
    }

    package func threads(
        of user: UserID, after place: ThreadPlace?, limit: Int
    ) async throws(StoreError) -> [ThreadSummary] {
        try await read(.page) { tables in
            let rest = try tables.summaries(of: user).lazy.filter { summary in
                guard let place else { return true }
                return (-place.activity, place.thread.text) < (-summary.activity, summary.membership.thread.id.text)
            }
            return Array(rest.prefix(max(limit, 0)))
        }
    }

    package func thread(_ id: ThreadID, of user: UserID) async throws(StoreError) -> ThreadSummary? {
        try await read(.page) { try $0.summary(of: user, in: id) }
    }

    /// `seq` may be before the cursor (messages become unread again) or beyond what is stored (later messages up to it
    /// count as read).
    package func markRead(
        _ thread: ThreadID, by user: UserID, through seq: Int64?, at milliseconds: Int64?
    ) async throws(StoreError) {
        try await write(.markRead) { tables, context in
            guard let seq = seq.map({ max($0, 0) }) else {
                return tables.moveCursorToEnd(of: user, in: thread, madeAt: milliseconds, now: context.now)
            }
            let isAhead = seq > tables.threads[thread]?.headSeq ?? 0
            let n = isAhead ? nil : tables.logs[thread]?.count(upTo: seq) ?? 0
            tables.moveCursor(of: user, in: thread, to: seq, n: n, madeAt: milliseconds, now: context.now)
        }
    }

    // MARK: Pages

    package func messages(in thread: ThreadID, _ query: MessageQuery) async throws(StoreError) -> MessagePage {
        try await read(.page) { try PageReader(ThreadReader(tables: $0, thread: thread), query).page() }
    }

    package func history(in thread: ThreadID, _ query: HistoryQuery) async throws(StoreError) -> HistoryPage {
        try await read(.page) { try ThreadReader(tables: $0, thread: thread).page(query) }
    }

    package func events(in thread: ThreadID, after seq: Int64, limit: Int) async throws(StoreError) -> LogPage {
        try await read(.page) { try ThreadReader(tables: $0, thread: thread).log(after: seq, limit: limit) }
    }

    package func stored(_ positions: [Position], in thread: ThreadID) async throws(StoreError) -> Set<Position> {
        try await read(.history) { tables in
            Set(positions.filter { tables.logs[thread]?.epochs(at: $0.seq).contains($0.epoch.text) == true })
        }
    }
}

extension ModelDatabase: LogHistory {
    package func head(of thread: ThreadID) async throws(StoreError) -> ThreadHead? {
        try await read(.history) { $0.threads[thread]?.head }
    }

    package func heads(of threads: [ThreadID]) async throws(StoreError) -> [ThreadID: ThreadHead] {
        guard !threads.isEmpty else { return [:] }
        return try await read(.history) { tables in
            threads.reduce(into: [:]) { heads, thread in heads[thread] = tables.threads[thread]?.head }
        }
    }

    package func checkpoints(
        of partitions: [Partition]
    ) async throws(StoreError) -> [Partition: IngestCheckpoint] {
        try await read(.checkpoint) { tables in
            partitions.reduce(into: [:]) { found, partition in found[partition] = tables.checkpoints[partition] }
        }
    }

    /// A lower progress than the noted one changes nothing.
    package func note(progress: Int64, ofHost host: Int) async throws(StoreError) {
        try await write(.checkpoint) { tables, _ in
            tables.progress[host] = max(tables.progress[host] ?? progress, progress)
        }
    }

    package func progress(ofHost host: Int) async throws(StoreError) -> Int64 {
        try await read(.checkpoint) { $0.progress[host] ?? 0 }
    }

    package func sends(_ queries: [SendQuery]) async throws(StoreError) -> [StoredSend?] {
        let keys = queries.compactMap(\.message.sendKey)
        guard !keys.isEmpty else { return queries.map { _ in nil } }
        let contentKey = contentKey
        return try await read(.history) { tables in
            var uses: [SendKey: [StoredUse]] = [:]
            for key in keys { uses[key] = tables.uses(of: key) }
            return queries.map { $0.reply(from: uses, contentKey) }
        }
    }
}
