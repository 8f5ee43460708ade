package import ParleyModel

/// A thread's numbering has started over, since the log has lost what it had.
package struct Renumbering: Hashable, Sendable {
    /// The new numbering.
    package let epoch: Epoch
    /// What was delivered from this seq on, in the former numbering, may be void: the new one has given these seqs
    /// anew, or to nobody.
    package let from: Int64
    /// The last seq that was delivered, or the last before the new numbering begins. Less than `from` if nothing is
    /// void.
    package let to: Int64

    /// - Parameters:
    ///   - last: the last seq that was delivered in the former numbering.
    ///   - first: the first seq that the new one has given.
    package init(epoch: Epoch, last: Int64, first: Int64) {
        self.epoch = epoch
        from = min(first, last + 1)
        to = max(last, first - 1)
    }
}
