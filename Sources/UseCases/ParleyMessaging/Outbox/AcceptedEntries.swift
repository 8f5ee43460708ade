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
    /// The time for which a receipt proves that the log has the event, in milliseconds. Most events are stored by then, and
    /// appending one again changes nothing.
    private static let proof: Int64 = 1_500

    private struct Accepted {
        var receipt: Receipt
        var milliseconds: Int64
    }

    private let clock: WallClock
    private let receipts = Mutex(TTLCache<Int64, Accepted>(lifetime: lifetime, capacity: capacity))
    private let answered = Mutex(TTLCache<Int64, Bool>(lifetime: lifetime, capacity: capacity))

    init(clock: WallClock) {
        self.clock = clock
    }

    func note(_ id: Int64, _ receipt: Receipt) {
        let now = clock.milliseconds
        receipts.withLock { $0.store(Accepted(receipt: receipt, milliseconds: now), for: id, at: now) }
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

    private func accepted(of ids: [Int64]) -> [Int64: Accepted] {
        let now = clock.milliseconds
        return receipts.withLock { receipts in
            ids.reduce(into: [Int64: Accepted]()) { $0[$1] = receipts.value(for: $1, at: now) }
        }
    }

    /// Returns the known receipts among these ids.
    func some(of ids: [Int64]) -> [Int64: Receipt] {
        accepted(of: ids).mapValues(\.receipt)
    }

    /// Returns the receipts that prove that the log has the events.
    private func proven(of ids: [Int64]) -> [Int64: Receipt] {
        let now = clock.milliseconds
        return accepted(of: ids).filter { now - $0.value.milliseconds < Self.proof }.mapValues(\.receipt)
    }

    /// Returns the receipts of all ids, or `nil` if one is unknown or older than a proof, or `ids` is empty.
    func all(of ids: [Int64]) -> [Int64: Receipt]? {
        let known = proven(of: ids)
        return !ids.isEmpty && known.count == Set(ids).count ? known : nil
    }

    /// Returns the ids whose events the log is known to have. The others are appended again, which changes nothing if it has
    /// them: it may have lost its end unnoticed, and given their seqs to other events.
    /// - Parameter epoch: Reads the log's current epoch. Called only if there is something to compare.
    func valid(of ids: [Int64], epoch: () async throws -> Epoch?) async throws -> Set<Int64> {
        let known = proven(of: ids)
        guard !known.isEmpty else { return [] }
        let present = try await epoch()
        return Set(known.filter { $0.value.position.epoch == present }.keys)
    }
}
