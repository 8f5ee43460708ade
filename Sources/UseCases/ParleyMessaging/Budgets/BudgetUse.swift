import Synchronization

/// An action in progress that counts against a maximum of its user. It ends with `end`, at the latest when no one keeps
/// it.
package final class BudgetUse: Sendable {
    private let hasEnded = Atomic<Bool>(false)
    private let onEnd: @Sendable () -> Void

    init(_ onEnd: @escaping @Sendable () -> Void) {
        self.onEnd = onEnd
    }

    deinit { end() }

    /// May be called again.
    package func end() {
        if !hasEnded.exchange(true, ordering: .relaxed) { onEnd() }
    }
}
