package import ParleyModel

/// What makes an append the same as an earlier one.
package enum OnceKey: Hashable, Sendable {
    /// The name of a send, for ever the same message.
    case send(UserID, clientID: String)
    /// An entry of the outbox, which the store does not have to be asked for: it is there until the event is stored.
    case outbox(Int64)

    /// `nil` for an event that has neither.
    package init?(_ draft: EventDraft) {
        if let id = draft.outboxID {
            self = .outbox(id)
        } else if let message = draft.message, let clientID = message.clientID {
            self = .send(message.sender.id, clientID: clientID)
        } else {
            return nil
        }
    }

    /// The store may know it, and nobody else.
    package var isSend: Bool {
        if case .send = self { true } else { false }
    }
}

/// What was sent of late, with the receipts.
///
/// Bounded by count and age. A send that waits for its first receipt is never forgotten (the log bounds those), nor is
/// one that the store does not have yet: what is forgotten here can be found there.
package struct OnceMemory: Sendable {
    package enum State: Hashable, Sendable {
        /// The first send is on its way; these repeats wait for it.
        case pending(repeats: [RequestID])
        case accepted(Receipt, isStored: Bool)
    }

    package struct Entry: Hashable, Sendable {
        /// The first send, while it is pending.
        package let request: RequestID
        package let content: SendContent
        package var state: State
    }

    /// How many old entries are looked at for each new one, so that a run of unstored ones costs little.
    private static var looks: Int { 4 }

    private let limit: Int
    private let lifetime: Int64
    private var entries: [OnceKey: Entry] = [:]
    /// Accepted sends, each once, about in order of acceptance.
    private var ages = FIFO<(key: OnceKey, milliseconds: Int64)>()

    package init(limit: Int, lifetime: Int64) {
        self.limit = limit
        self.lifetime = lifetime
    }

    package var count: Int { entries.count }

    package subscript(key: OnceKey) -> Entry? { entries[key] }

    /// Notes a send that waits.
    package mutating func begin(_ key: OnceKey, _ content: SendContent, by request: RequestID) {
        entries[key] = Entry(request: request, content: content, state: .pending(repeats: []))
    }

    /// Lets a repeat wait for the first send.
    package mutating func wait(_ request: RequestID, for key: OnceKey) {
        guard case .pending(var repeats) = entries[key]?.state else { return }
        repeats.append(request)
        entries[key]?.state = .pending(repeats: repeats)
    }

    /// A pending send has its receipt.
    /// - Returns: the repeats that waited for it.
    package mutating func accept(
        _ key: OnceKey, _ receipt: Receipt, isStored: Bool, now: Int64
    ) -> [RequestID] {
        guard let entry = entries[key], case .pending(let repeats) = entry.state else { return [] }
        entries[key] = Entry(
            request: entry.request, content: entry.content, state: .accepted(receipt, isStored: isStored))
        ages.append((key, now))
        shrink(now: now)
        return repeats
    }

    /// The store has an accepted send.
    package mutating func markStored(_ key: OnceKey) {
        guard case .accepted(let receipt, _) = entries[key]?.state else { return }
        entries[key]?.state = .accepted(receipt, isStored: true)
    }

    /// A pending send has failed and is as if it had never been.
    /// - Returns: the repeats that waited for it.
    package mutating func fail(_ key: OnceKey) -> [RequestID] {
        guard case .pending(let repeats) = entries[key]?.state else { return [] }
        entries[key] = nil
        return repeats
    }

    /// Forgets the accepted sends of a thread that was deleted: their names are free.
    package mutating func forget(_ thread: ThreadID) {
        entries = entries.filter { key, entry in
            guard key.isSend, entry.content.thread == thread, case .accepted = entry.state else { return true }
            return false
        }
    }

    /// Forgets what is too old or too much.
    package mutating func shrink(now: Int64) {
        for _ in 0..<Self.looks {
            guard let oldest = ages.first, ages.count > limit || now - oldest.milliseconds > lifetime else { return }
            ages.popFirst()
            switch entries[oldest.key]?.state {
            case .accepted(_, isStored: true)?: entries[oldest.key] = nil
            case .accepted?, .pending?: ages.append(oldest)
            // Its thread was deleted.
            case nil: break
            }
        }
    }
}

/// What makes a repeated send the same: its thread and its text.
///
/// Of the text only the length and a keyed 64-bit hash are kept; whoever could make two texts collide would deceive
/// but himself, since the name space of a `clientID` is the sender's own.
package struct SendContent: Hashable, Sendable {
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
