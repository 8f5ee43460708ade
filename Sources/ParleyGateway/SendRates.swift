package import ParleyModel
package import ParleySession
import Synchronization

/// The send rate of each user with sockets on this node: one `SendRate` for all of them, on whatever loop they are.
package final class SendRates: Sendable {
    private struct Entry {
        let rate: SendRate
        var uses: Int
    }

    private let limits: Limits
    private let entries = Mutex<[UserID: Entry]>([:])

    package init(limits: Limits) {
        self.limits = limits
    }

    /// How many users have a rate.
    package var count: Int { entries.withLock { $0.count } }

    /// The rate of `user`; to be given back by `release`.
    package func retain(_ user: UserID) -> SendRate {
        entries.withLock { entries in
            if let known = entries[user] {
                entries[user]?.uses += 1
                return known.rate
            }
            let rate = SendRate(perSecond: limits.sendsPerSecond, burst: limits.sendsBurst)
            entries[user] = Entry(rate: rate, uses: 1)
            return rate
        }
    }

    package func release(_ user: UserID) {
        entries.withLock { entries in
            guard let uses = entries[user]?.uses else { return }
            if uses > 1 { entries[user]?.uses = uses - 1 } else { entries[user] = nil }
        }
    }
}
