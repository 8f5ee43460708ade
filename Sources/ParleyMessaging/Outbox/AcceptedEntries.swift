import ParleyAccounts
import ParleyModel
import Synchronization

/// Where the log has the outbox entries that this process has relayed of late: whoever waits for one finds it here, and
/// it need not be asked for again until it is stored.
///
/// Owners of the tables: a `Mutex` each. Entries live for a minute, and there are never more than `capacity`.
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

    /// The log does not have it any more.
    func forget(_ id: Int64) {
        receipts.withLock { $0.remove(id) }
    }

    func noteAnswered(_ id: Int64) {
        answered.withLock { $0.store(true, for: id, at: clock.milliseconds) }
    }

    func isAnswered(_ id: Int64) -> Bool {
        answered.withLock { $0.value(for: id, at: clock.milliseconds) } ?? false
    }

    /// Those that are known.
    func some(of ids: [Int64]) -> [Int64: Receipt] {
        let now = clock.milliseconds
        return receipts.withLock { receipts in
            ids.reduce(into: [Int64: Receipt]()) { $0[$1] = receipts.value(for: $1, at: now) }
        }
    }

    /// All of them; `nil` if one is not known, or if none is asked for.
    func all(of ids: [Int64]) -> [Int64: Receipt]? {
        let known = some(of: ids)
        return !ids.isEmpty && known.count == Set(ids).count ? known : nil
    }

    /// Those that the log still has, as far as can be told cheaply: of its present numbering.
    /// - Parameter epoch: asks the log for that, if there is anything to compare it with.
    func valid(of ids: [Int64], epoch: () async throws -> Epoch?) async throws -> Set<Int64> {
        let known = some(of: ids)
        guard !known.isEmpty else { return [] }
        let present = try await epoch()
        return Set(known.filter { $0.value.position.epoch == present }.keys)
    }
}
