import ParleyMessaging
import Synchronization

/// The actions in progress of one request, usually one and at most a few. Protected by a mutex.
final class RequestUses: Sendable {
    private let uses = Mutex<[BudgetUse]>([])

    func keep(_ use: BudgetUse) {
        uses.withLock { $0.append(use) }
    }

    /// Ends all uses.
    func end() {
        for use in take() { use.end() }
    }

    /// Removes and returns all uses, for a response whose body outlasts the request. The caller must end them.
    func take() -> [BudgetUse] {
        uses.withLock { uses in
            defer { uses = [] }
            return uses
        }
    }
}
