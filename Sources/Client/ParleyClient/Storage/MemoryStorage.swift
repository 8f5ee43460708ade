/// A storage in memory, which ends with its client. A lock guards the state.
package final class MemoryStorage: ChatStorage {
    private struct Cache {
        var seqs: [Int] = []
        var messages: [Int: StoredMessage] = [:]
        var ranges = SeqRanges()
        var notices: [Int: ChatNotice] = [:]

        /// The number of messages and notices.
        var count: Int { seqs.count + notices.count }
    }

    private struct State {
        var account: ChatUser?
        var blocks: [String] = []
        var threads: [String: ThreadRecord] = [:]
        var outbox: [String: ClientOutboxEntry] = [:]
        var caches: [String: Cache] = [:]
    }

    private let state = Locked(State())

    package init() {}

    package func load() -> StoredState {
        state.withLock { state in
            StoredState(
                account: state.account, threads: state.threads.values.map(\.kept),
                outbox: state.outbox.values.map(\.kept).sorted { $0.ordinal < $1.ordinal },
                blocks: state.blocks)
        }
    }

    package func apply(_ changes: [StoreChange]) {
        state.withLock { state in
            for change in changes { Self.apply(change, to: &state) }
        }
    }

    package func messages(in thread: String, from: Int, to: Int, limit: Int, newest: Bool) -> [StoredMessage] {
        state.withLock { state in
            guard let cache = state.caches[thread], from <= to else { return [] }
            let seqs = cache.seqs[Self.index(of: from, in: cache.seqs)..<Self.index(of: to + 1, in: cache.seqs)]
            return (newest ? seqs.suffix(limit) : seqs.prefix(limit)).compactMap { cache.messages[$0] }
        }
    }

    package func notices(in thread: String, from: Int, to: Int, limit: Int) -> [ChatNotice] {
        state.withLock { state in
            let notices = state.caches[thread]?.notices.values.filter { from <= $0.seq && $0.seq <= to } ?? []
            return notices.sorted { $0.seq < $1.seq }.suffix(limit)
        }
    }

    package func range(in thread: String, containing seq: Int) -> ClosedRange<Int>? {
        state.withLock { $0.caches[thread]?.ranges.range(containing: seq) }
    }

    package func message(in thread: String, seq: Int) -> StoredMessage? {
        state.withLock { $0.caches[thread]?.messages[seq] }
    }

    package func message(in thread: String, named id: String) -> StoredMessage? {
        state.withLock { state in
            guard let cache = state.caches[thread] else { return nil }
            let seq = cache.seqs.last { cache.messages[$0]?.id == id || cache.messages[$0]?.clientID == id }
            return seq.flatMap { cache.messages[$0] }
        }
    }

    package func newestMessage(in thread: String) -> StoredMessage? {
        state.withLock { state in
            state.caches[thread].flatMap { cache in cache.seqs.last.flatMap { cache.messages[$0] } }
        }
    }

    package func seq(ofNewest count: Int, in thread: String) -> Int? {
        state.withLock { state in
            guard let cache = state.caches[thread], count > 0, count <= cache.count else { return nil }
            return (cache.seqs + cache.notices.keys).sorted()[cache.count - count]
        }
    }

    package func unread(in thread: String, after seq: Int, by user: String) -> Int {
        state.withLock { state in
            guard let cache = state.caches[thread] else { return 0 }
            return cache.seqs[Self.index(of: seq + 1, in: cache.seqs)...].count { seq in
                cache.messages[seq].map { $0.senderID != user && !$0.isDeleted } ?? false
            }
        }
    }

    package func cachedCounts() -> [String: Int] {
        state.withLock { $0.caches.mapValues(\.count).filter { $0.value > 0 } }
    }

    package func close() {}

    // MARK: Changes

    private static func apply(_ change: StoreChange, to state: inout State) {
        switch change {
        case .thread(let record): state.threads[record.id] = record
        case .removeThread(let id):
            state.threads[id] = nil
            state.caches[id] = nil
            state.outbox = state.outbox.filter { $0.value.thread != id }
        case .clearMessages(let id): state.caches[id] = nil
        case .trimMessages(let id, let seq):
            guard var cache = state.caches.removeValue(forKey: id) else { return }
            let end = min(index(of: seq, in: cache.seqs), max(0, cache.seqs.count - 1))
            for seq in cache.seqs[..<end] { cache.messages[seq] = nil }
            cache.seqs.removeSubrange(..<end)
            cache.ranges.remove(below: seq)
            cache.notices = cache.notices.filter { $0.key >= seq }
            state.caches[id] = cache
        case .message(let message):
            var cache = state.caches.removeValue(forKey: message.thread) ?? Cache()
            if cache.messages.updateValue(message, forKey: message.seq) == nil {
                cache.seqs.insert(message.seq, at: index(of: message.seq, in: cache.seqs))
            }
            state.caches[message.thread] = cache
        case .notice(let notice): state.caches[notice.threadID.rawValue, default: Cache()].notices[notice.seq] = notice
        case .edit(let thread, let seq, let text, let milliseconds):
            update(thread, seq, in: &state) { $0.edit(text, at: milliseconds) }
        case .delete(let thread, let seq): update(thread, seq, in: &state) { $0.delete() }
        case .react(let thread, let seq, let user, let emoji, let isOn):
            update(thread, seq, in: &state) { $0.react(emoji, by: user, isOn: isOn) }
        case .rename(let user, let name):
            for thread in state.caches.keys {
                for seq in state.caches[thread]?.seqs ?? [] {
                    update(thread, seq, in: &state) { message in
                        if message.senderID == user, !message.isErased { message.senderDisplayName = name }
                    }
                }
            }
        case .range(let thread, let from, let to): state.caches[thread, default: Cache()].ranges.insert(from...to)
        case .entry(let entry): state.outbox[entry.id] = entry
        case .removeEntry(let id): state.outbox[id] = nil
        case .account(let user): state.account = user
        case .blocks(let users): state.blocks = users
        case .clear: state = State()
        }
    }

    private static func update(
        _ thread: String, _ seq: Int, in state: inout State, _ change: (inout StoredMessage) -> Void
    ) {
        guard var message = state.caches[thread]?.messages[seq] else { return }
        change(&message)
        state.caches[thread]?.messages[seq] = message
    }

    /// Returns the index of the first element that is not below `seq`.
    private static func index(of seq: Int, in seqs: [Int]) -> Int {
        var (low, high) = (0, seqs.count)
        while low < high {
            let middle = (low + high) / 2
            if seqs[middle] < seq { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension StoredMessage {
    /// Replaces the text. Deleted and erased messages do not change.
    package mutating func edit(_ text: String, at milliseconds: Int64) {
        guard !isDeleted, !isErased else { return }
        self.text = text
        editedMilliseconds = max(editedMilliseconds ?? 0, milliseconds)
    }
}

extension ThreadRecord {
    /// The record without the state of a connection.
    package var kept: ThreadRecord {
        var record = self
        record.isFetching = false
        record.isReadInFlight = false
        return record
    }
}
