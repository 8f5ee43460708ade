import ParleyModel
import Synchronization

/// Memberships whose `joined` event the log has not accepted, so that a repeat of the call appends it.
///
/// Owner of the set: one `Mutex`. Beyond `limit` none are added: then only the log itself tells, see `RoomJoiner`.
final class PendingJoins: Sendable {
    struct Join: Hashable, Sendable {
        let user: UserID
        let thread: ThreadID
    }

    private let limit: Int
    private let joins = Mutex<Set<Join>>([])

    init(limit: Int) {
        self.limit = limit
    }

    func insert(_ join: Join) {
        joins.withLock { joins in
            if joins.count < limit { joins.insert(join) }
        }
    }

    func remove(_ join: Join) {
        joins.withLock { _ = $0.remove(join) }
    }

    func contains(_ join: Join) -> Bool {
        joins.withLock { $0.contains(join) }
    }
}
