import Synchronization

/// An action in progress that counts against a limit of its user. It ends with `end`, or at the latest when its last reference is released.
package final class BudgetUse: Sendable {
    private let hasEnded = Atomic<Bool>(false)
    private let onEnd: @Sendable () -> Void

    init(_ onEnd: @escaping @Sendable () -> Void) {
        self.onEnd = onEnd
    }

    deinit { end() }

    /// Ends the use. Further calls have no effect.
    package func end() {
        if !hasEnded.exchange(true, ordering: .relaxed) { onEnd() }
    }
}
