/// The place where a thread's log begins for a member who does not see all of it: their own `joined` event.
///
/// The event is appended after the transaction that makes the membership, and stored later. The members' table therefore holds
/// first which outbox entry the event is, and then its seq, which the transaction writes that stores the event. Everything that
/// was stored before is below it, so that a reader of the store sees nothing until then, and misses nothing.
package enum HistoryStart: Hashable, Sendable {
    /// The event is this outbox entry and not stored yet. Nothing that is stored is visible.
    case joining(entry: Int64)
    /// The event is in the log at this position, and may not be stored yet.
    case joined(Position, entry: Int64)
    /// The seq of the first visible event, as stored. A later epoch begins above it, so it needs none.
    case stored(Int64)

    /// The stored value of `joining` is its entry plus this. It exceeds every seq, so that one comparison of a seq with the
    /// stored value decides whether the event is visible.
    package static let pending: Int64 = 1 << 62

    /// - Parameter value: The column `visible_from`; 0 if the member sees everything.
    package init?(stored value: Int64) {
        guard value > 0 else { return nil }
        self = value < Self.pending ? .stored(value) : .joining(entry: value - Self.pending)
    }

    /// The seq of the first visible event; above every seq while it is unknown.
    package var firstSeq: Int64 {
        switch self {
        case .joining: .max
        case .joined(let position, _): position.seq
        case .stored(let seq): seq
        }
    }

    /// Whether the first visible event is known.
    package var isKnown: Bool {
        if case .joining = self { false } else { true }
    }

    /// The epoch of the first visible event, if its position is known.
    package var epoch: Epoch? {
        if case .joined(let position, _) = self { position.epoch } else { nil }
    }

    /// The outbox entry of the `joined` event, if it may still be there.
    package var entry: Int64? {
        switch self {
        case .joining(let entry), .joined(_, let entry): entry
        case .stored: nil
        }
    }
}

extension LogEvent {
    /// Returns what a member sees of the event for whom the log begins at a seq.
    /// - Returns: `nil` if the event is not visible.
    package func shown(from first: Int64) -> LogEvent? {
        position.seq >= first ? hidingMessages(below: first) : nil
    }

    /// Returns the event without content of messages below a seq.
    ///
    /// An event about such a message keeps its position and says nothing: an edit has no text, and a reaction is a removal
    /// without effect, as after an erasure. A deletion says nothing anyway.
    package func hidingMessages(below first: Int64) -> LogEvent {
        var event = self
        switch body {
        case .edited(let edit) where edit.messageSeq < first: event.body = .edited(edit.withoutText)
        case .reaction(let reaction) where reaction.messageSeq < first: event.body = .reaction(reaction.erased)
        default: return self
        }
        return event
    }
}
