import ParleyMessaging
import Synchronization

/// The actions in progress of one request, protected by a mutex: usually one, at most a few.
final class RequestUses: Sendable {
    private let uses = Mutex<[BudgetUse]>([])

    func keep(_ use: BudgetUse) {
        uses.withLock { $0.append(use) }
    }

    /// Ends all.
    func end() {
        for use in take() { use.end() }
    }

    /// Takes all out, for a response whose body takes longer than the request: the caller ends them.
    func take() -> [BudgetUse] {
        uses.withLock { uses in
            defer { uses = [] }
            return uses
        }
    }
}
