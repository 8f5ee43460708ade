import ParleyConcurrency
import ParleyModel
import Synchronization

/// The log positions of outbox entries that this process has relayed recently. Waiting callers read them here, and no entry is
/// appended again before it is stored.
///
/// A `Mutex` protects each table. Entries expire after a minute, and there are at most `capacity` of them.
final class AcceptedEntries: Sendable {
    private static let lifetime: Int64 = 60_000
    private static let capacity = 20_000

    private let clock: WallClock
    private let receipts = Mutex(TTLCache<Int64, Receipt>(lifetime: lifetime, capacity: capacity))
    private let answered = Mutex(TTLCache<Int64, Bool>(lifetime: lifetime, capacity: capacity))

    init(clock: WallClock) {
        self.clock = clock
    }

    func note(_ id: Int64, _ receipt: Receipt) {
        receipts.withLock { $0.store(receipt, for: id, at: clock.milliseconds) }
    }

    /// Removes an entry that the log has lost.
    func forget(_ id: Int64) {
        receipts.withLock { $0.remove(id) }
    }

    func noteAnswered(_ id: Int64) {
        answered.withLock { $0.store(true, for: id, at: clock.milliseconds) }
    }

    func isAnswered(_ id: Int64) -> Bool {
        answered.withLock { $0.value(for: id, at: clock.milliseconds) } ?? false
    }

    /// Returns the known receipts among these ids.
    func some(of ids: [Int64]) -> [Int64: Receipt] {
        let now = clock.milliseconds
        return receipts.withLock { receipts in
            ids.reduce(into: [Int64: Receipt]()) { $0[$1] = receipts.value(for: $1, at: now) }
        }
    }

    /// Returns the receipts of all ids, or `nil` if one is unknown or `ids` is empty.
    func all(of ids: [Int64]) -> [Int64: Receipt]? {
        let known = some(of: ids)
        return !ids.isEmpty && known.count == Set(ids).count ? known : nil
    }

    /// Returns the ids that the log still holds, which a comparison of epochs shows.
    /// - Parameter epoch: Reads the log's current epoch. Called only if there is something to compare.
    func valid(of ids: [Int64], epoch: () async throws -> Epoch?) async throws -> Set<Int64> {
        let known = some(of: ids)
        guard !known.isEmpty else { return [] }
        let present = try await epoch()
        return Set(known.filter { $0.value.position.epoch == present }.keys)
    }
}
