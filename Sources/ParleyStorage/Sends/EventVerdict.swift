package import ParleyModel

/// What a store does with an event, by what it has already.
package enum EventVerdict: Hashable, Sendable {
    /// It gets a place.
    case new
    /// It gets a place, but its `client_id` belongs to another message: it was let through while nobody could ask.
    case laterUse
    /// It is there already, under this seq.
    case known(seq: Int64)
    /// Its text stands under this seq, sent before under the same `client_id`. Its own seq is used and holds nothing.
    case repeatedSend(seq: Int64)

    /// The verdict about a message that is not there itself.
    /// - Parameter uses: what has its sender's `client_id`, the first use first.
    package init(_ message: Message, in thread: ThreadID, uses: [StoredUse], _ key: ContentKey?) {
        if let same = uses.first(where: { $0.isSame(as: message, in: thread, key) }) {
            self = .repeatedSend(seq: same.seq)
        } else {
            self = uses.isEmpty ? .new : .laterUse
        }
    }

    /// The seq under which the event's content stands; `nil` if it gets a place.
    package var seq: Int64? {
        switch self {
        case .known(let seq), .repeatedSend(let seq): seq
        case .new, .laterUse: nil
        }
    }
}
