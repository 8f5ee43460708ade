import DequeModule
package import ParleyModel

/// The key by which an append is recognised as a repeat.
package enum IdempotencyKey: Hashable, Sendable {
    /// A send, identified permanently by its sender and `clientID`.
    case send(UserID, clientID: String)
    /// An outbox entry. The store need not be queried for it: the entry exists until its event is stored.
    case outbox(Int64)

    /// Returns `nil` for an event that has neither.
    package init?(_ draft: EventDraft) {
        if let id = draft.outboxID {
            self = .outbox(id)
        } else if let message = draft.message, let clientID = message.clientID {
            self = .send(message.sender.id, clientID: clientID)
        } else {
            return nil
        }
    }

    package var isSend: Bool {
        if case .send = self { true } else { false }
    }

    /// When the `clientID` of a send was made, if it contains that; in Unix milliseconds.
    package var made: Int64? {
        if case .send(_, let clientID) = self { ClientIDTime.milliseconds(of: clientID) } else { nil }
    }
}

/// The recent sends with their receipts.
///
/// Bounded by count and age. A send that waits for its first receipt is never evicted (the log limits their number),
/// nor is one that is not stored yet. Forgotten sends can be found in the store.
package struct IdempotencyTable: Sendable {
    package enum State: Hashable, Sendable {
        /// The first send is in progress; these repeats wait for it.
        case pending(repeats: [AppendID])
        case accepted(Receipt, isStored: Bool)
    }

    package struct Entry: Hashable, Sendable {
        /// The first send, while it is pending.
        package let request: AppendID
        package let content: UsedContent
        package var state: State
    }

    /// The number of old entries inspected for each new one, which bounds the cost of a run of unstored ones.
    private static var inspectedAtOnce: Int { 4 }

    private let limit: Int
    private let lifetime: Int64
    private var entries: [IdempotencyKey: Entry] = [:]
    /// Accepted sends, each once, about in order of acceptance.
    private var ages = Deque<(key: IdempotencyKey, milliseconds: Int64)>()
    /// A `clientID` made before this time, in Unix milliseconds, may be that of a forgotten send.
    private(set) package var doubt: Int64 = .min

    /// - Parameters:
    ///   - limit: the number of remembered sends.
    ///   - lifetime: how long a send is remembered, in milliseconds.
    package init(limit: Int, lifetime: Int64) {
        self.limit = limit
        self.lifetime = lifetime
    }

    package var count: Int { entries.count }

    package subscript(key: IdempotencyKey) -> Entry? { entries[key] }

    /// Records a pending send.
    package mutating func begin(_ key: IdempotencyKey, _ content: UsedContent, by request: AppendID) {
        entries[key] = Entry(request: request, content: content, state: .pending(repeats: []))
    }

    /// Lets a repeat wait for the first send.
    package mutating func wait(_ request: AppendID, for key: IdempotencyKey) {
        guard case .pending(var repeats) = entries[key]?.state else { return }
        repeats.append(request)
        entries[key]?.state = .pending(repeats: repeats)
    }

    /// Records the receipt of a pending send.
    /// - Returns: the repeats that waited for it.
    package mutating func accept(
        _ key: IdempotencyKey, _ receipt: Receipt, isStored: Bool, now: Int64
    ) -> [AppendID] {
        guard let entry = entries[key], case .pending(let repeats) = entry.state else { return [] }
        entries[key] = Entry(
            request: entry.request, content: entry.content, state: .accepted(receipt, isStored: isStored))
        ages.append((key, now))
        shrink(now: now)
        return repeats
    }

    /// Records that an accepted send is stored.
    package mutating func markStored(_ key: IdempotencyKey) {
        guard case .accepted(let receipt, _) = entries[key]?.state else { return }
        entries[key]?.state = .accepted(receipt, isStored: true)
    }

    /// Removes a pending send that has failed.
    /// - Returns: the repeats that waited for it.
    package mutating func fail(_ key: IdempotencyKey) -> [AppendID] {
        guard case .pending(let repeats) = entries[key]?.state else { return [] }
        entries[key] = nil
        return repeats
    }

    /// Removes the accepted sends of a deleted thread; their keys become free.
    package mutating func forget(_ thread: ThreadID) {
        entries = entries.filter { key, entry in
            guard key.isSend, entry.content.thread == thread, case .accepted = entry.state else { return true }
            return false
        }
    }

    /// Removes accepted sends of an erased user.
    package mutating func forget(_ clientIDs: [String], of user: UserID) {
        for clientID in clientIDs {
            let key = IdempotencyKey.send(user, clientID: clientID)
            if case .accepted = entries[key]?.state { entries[key] = nil }
        }
    }

    /// Records that a send whose `clientID` was made at this time or earlier is not remembered.
    package mutating func distrust(through milliseconds: Int64) {
        doubt = max(doubt, milliseconds + 1)
    }

    /// Evicts entries above the age or count limit.
    package mutating func shrink(now: Int64) {
        for _ in 0..<Self.inspectedAtOnce {
            guard let oldest = ages.first, ages.count > limit || now - oldest.milliseconds > lifetime else { return }
            ages.removeFirst()
            switch entries[oldest.key]?.state {
            case .accepted(_, isStored: true)?:
                entries[oldest.key] = nil
                // The clock of its client may have been ahead.
                distrust(through: max(oldest.milliseconds, oldest.key.made ?? .min))
            case .accepted?, .pending?: ages.append(oldest)
            // Its thread was deleted.
            case nil: break
            }
        }
    }
}

/// The content that must match in a repeated send: its thread and text.
///
/// Only the length and a keyed 64-bit hash of the text are kept. A sender who produces a collision harms no other user,
/// since a `clientID` belongs to its sender.
package struct UsedContent: Hashable, Sendable {
    fileprivate let thread: ThreadID
    private let length: Int
    private let hash: Int

    package init(thread: ThreadID, text: String) {
        self.thread = thread
        length = text.utf8.count
        var hasher = Hasher()
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hash = hasher.finalize()
    }
}
