import NIOCore
package import ParleyFanOut
package import ParleyModel
import ParleySession
import Synchronization

/// The send rate of each user with sockets on this node: one `UserRate` for all of them, on whatever loop they are.
package final class SendRates: Sendable {
    private struct Entry {
        let rate: UserRate
        var uses: Int
    }

    private let limits: Limits
    private let ledger: any RateLedger
    private let work: WorkPool
    private let entries = Mutex<[UserID: Entry]>([:])
    /// How many nodes grant sends, as far as is known; for users who come from now on.
    private let nodes = Atomic<Int>(1)

    package init(limits: Limits, ledger: any RateLedger, work: WorkPool) {
        self.limits = limits
        self.ledger = ledger
        self.work = work
    }

    /// How many users have a rate.
    package var count: Int { entries.withLock { $0.count } }

    /// So many nodes are alive.
    package func know(nodes count: Int) {
        nodes.store(max(1, count), ordering: .relaxed)
    }

    /// The rate of `user`; to be given back by `release`.
    func retain(_ user: UserID) -> UserRate {
        entries.withLock { entries in
            if let known = entries[user] {
                entries[user]?.uses += 1
                return known.rate
            }
            let shared = SharedRate(
                perSecond: limits.sendsPerSecond, burst: limits.sendsBurst, nodes: nodes.load(ordering: .relaxed))
            let rate = UserRate(of: user, shared, ledger: ledger, work: work)
            entries[user] = Entry(rate: rate, uses: 1)
            return rate
        }
    }

    func release(_ user: UserID) {
        entries.withLock { entries in
            guard let uses = entries[user]?.uses else { return }
            if uses > 1 { entries[user]?.uses = uses - 1 } else { entries[user] = nil }
        }
    }
}

/// How fast a user may send, over all nodes.
///
/// Only the sockets of the one user meet at the lock, for some nanoseconds; nothing waits behind it.
final class UserRate: Sendable {
    private let user: UserID
    private let rate: Mutex<SharedRate>
    private let ledgerRate: TokenRate?
    private let ledger: any RateLedger
    private let work: WorkPool

    init(of user: UserID, _ rate: SharedRate, ledger: any RateLedger, work: WorkPool) {
        self.user = user
        self.ledger = ledger
        self.work = work
        ledgerRate = rate.ledgerRate
        self.rate = Mutex(rate)
    }

    /// Takes one send if there is one.
    /// - Parameter now: microseconds by NIO's clock.
    func take(at now: Int64) -> SendPermit {
        guard let ledgerRate else { return .granted }
        switch rate.withLock({ $0.take(at: now) }) {
        case .taken: return .granted
        case .wait(let wait): return .wait(microseconds: wait)
        case .asked: return .asked
        case .ask(let tokens):
            let isTaken = work.submit { [self] in
                let answer: SharedRate.Answer
                do throws(LedgerError) {
                    let wait = try await ledger.take(tokens, of: .sends(user), at: ledgerRate)
                    answer = wait == 0 ? .taken(tokens) : .wait(microseconds: wait)
                } catch {
                    answer = .away
                }
                let now = Int64(clamping: NIODeadline.now().uptimeNanoseconds / 1000)
                rate.withLock { $0.answered(answer, at: now) }
            }
            if !isTaken { rate.withLock { $0.answered(.away, at: now) } }
            return .asked
        }
    }
}
