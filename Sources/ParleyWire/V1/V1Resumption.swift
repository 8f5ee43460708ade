package import ParleyModel

/// How a thread goes on for a client that named the position it has seen.
package struct V1Resumption: Hashable, Sendable {
    package enum State: String, CaseIterable, Hashable, Sendable {
        /// Nothing was missing.
        case live
        /// What was missing was sent.
        case replayed
        /// Too much is missing; it is all there, to be fetched by `history`.
        case page
        /// The numbering has started over: what was seen in the range may be void, reload from its beginning.
        case rolledBack = "rolled_back"
        /// There is no such thread.
        case gone
        /// The user is no member.
        case denied
    }

    package var state: State
    /// The numbering from now on.
    package var epoch: Epoch?
    /// The first and the last seq it is about; the first is one more than the last if it is none.
    package var from: Int64?
    package var to: Int64?

    package init(_ state: State, epoch: Epoch? = nil, from: Int64? = nil, to: Int64? = nil) {
        self.state = state
        self.epoch = epoch
        self.from = from
        self.to = to
    }
}
