package import ParleyModel

/// The decision of a store about an event, given what it already holds.
package enum EventVerdict: Hashable, Sendable {
    /// The event is stored.
    case new
    /// The event is stored, but its `client_id` belongs to another message. It was accepted while the store could not
    /// be queried.
    case laterUse
    /// The event is already stored at this seq.
    case known(seq: Int64)
    /// The same content is stored at this seq, sent under the same `client_id`. The event's own seq stays empty.
    case repeatedSend(seq: Int64)

    /// The verdict on a message that is not stored itself.
    /// - Parameter uses: the stored uses of the sender's `client_id`, the first use first.
    package init(_ message: Message, in thread: ThreadID, uses: [StoredUse], _ key: ContentKey?) {
        if let same = uses.first(where: { $0.isSame(as: message, in: thread, key) }) {
            self = .repeatedSend(seq: same.seq)
        } else {
            self = uses.isEmpty ? .new : .laterUse
        }
    }

    /// The seq at which the event's content is stored; `nil` if the event is still to be stored.
    package var seq: Int64? {
        switch self {
        case .known(let seq), .repeatedSend(let seq): seq
        case .new, .laterUse: nil
        }
    }
}
