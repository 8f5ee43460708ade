package import DequeModule
package import ParleyModel

/// The state that a `LogCore` keeps for one thread.
package struct ThreadEntry: Sendable {
    /// An append that has not entered the log yet.
    package struct Waiting: Sendable {
        package enum State: Hashable, Sendable {
            /// The store is being queried for the send.
            case queryingStore
            /// Enters the log once it is first in the queue and the thread's end is known.
            case ready
            /// Already completed.
            case answered
        }

        package let request: AppendID
        package let draft: EventDraft
        package let key: IdempotencyKey?
        package var state: State
    }

    /// `nil` until the store has reported where the thread ends.
    package var log: ThreadLog?
    /// A `clientID` made before this time, in Unix milliseconds, may be that of a stored send; `nil` while `log` is.
    package var doubt: Int64?
    /// The store is being queried for the end of the thread.
    package var isAsked = false
    /// The thread was deleted during that query; the reply belongs to the deleted thread.
    package var isForgotten = false
    /// In order of arrival: a later append never overtakes.
    package var waiting = Deque<Waiting>()
    /// The queries that wait for `log`.
    package var queries: [AppendID] = []
    /// Used since the thread was last inspected for eviction.
    package var isTouched = false

    /// Whether the entry can be dropped without losing anything.
    package var canBeForgotten: Bool {
        !isAsked && waiting.isEmpty && queries.isEmpty && log?.isStored ?? true
    }
}
