package import ParleyModel

/// The result of resuming one thread from a client's position.
package struct V1Resumption: Hashable, Sendable {
    /// The outcome for the thread.
    package enum State: String, CaseIterable, Hashable, Sendable {
        /// No events were missed.
        case live
        /// The missed events were sent.
        case replayed
        /// Too many events were missed; the client fetches them by `history`.
        case page
        /// The epoch has changed: events seen in the range may be invalid, reload from its beginning.
        case rolledBack = "rolled_back"
        /// The log cannot be reached at the moment; an unasked `resumed` with another state follows when it can.
        case unavailable
        /// There is no such thread.
        case gone
        /// The user is not a member.
        case denied
    }

    package var state: State
    /// The present epoch.
    package var epoch: Epoch?
    /// The first and last seq concerned; for an empty range `from` is `to` + 1.
    package var from: Int64?
    package var to: Int64?

    package init(_ state: State, epoch: Epoch? = nil, from: Int64? = nil, to: Int64? = nil) {
        self.state = state
        self.epoch = epoch
        self.from = from
        self.to = to
    }
}
