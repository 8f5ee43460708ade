package import ParleyModel

/// What a `LogCore` keeps of one thread.
package struct ThreadEntry: Sendable {
    /// An append that has not entered the log yet.
    package struct Waiting: Sendable {
        package enum State: Hashable, Sendable {
            /// The store has been asked for the send.
            case asking
            /// Enters as soon as it is the first and the thread is known.
            case ready
            /// Answered already.
            case answered
        }

        package let request: RequestID
        package let draft: EventDraft
        package let key: OnceKey?
        package var state: State
    }

    /// `nil` until the store has told where the thread ends.
    package var log: ThreadLog?
    /// The store has been asked where the thread ends.
    package var isAsked = false
    /// The thread was deleted while the store was asked: what it answers is of the old one.
    package var isForgotten = false
    /// In order of arrival: a later append never overtakes.
    package var waiting = FIFO<Waiting>()
    /// Queries that wait for `log`.
    package var queries: [RequestID] = []
    /// Used since it was last looked at for being forgotten.
    package var isTouched = false

    /// Nothing is lost if this is forgotten.
    package var canBeForgotten: Bool {
        !isAsked && waiting.isEmpty && queries.isEmpty && log?.isStored ?? true
    }
}
