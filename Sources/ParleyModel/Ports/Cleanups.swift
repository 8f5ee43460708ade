/// What erasures and deletions have left to do: their first transaction is bounded, and the rest goes in steps.
///
/// The store knows what is left (table `cleanups`), whatever becomes of the process that began it. Any number of
/// processes look for it, and each cleanup is claimed by one at a time.
package protocol Cleanups: Sendable {
    /// Claims what nobody works on, the longest neglected first.
    ///
    /// A claim lasts for `Cleanup.leaseMilliseconds` of the store's clock; each step renews it.
    /// - Parameter limit: the most to claim; 0 or less: none.
    func claimCleanups(limit: Int) async throws(StoreError) -> [Cleanup]

    /// Does what is left, each step a transaction that touches at most some thousand rows. Returns when nothing is left,
    /// or another process has taken over.
    ///
    /// What it tells is in the outbox, overdue at once: nobody but persisters relays it.
    /// - Throws: what ends a step; what was done before stays done, and the cleanup is due again when the claim ends.
    func finish(_ cleanup: Cleanup) async throws(StoreError)
}

/// A cleanup that this process has claimed.
package struct Cleanup: Hashable, Sendable {
    /// How long a claim lasts without a step.
    package static let leaseMilliseconds: Int64 = 2000

    package enum Subject: Hashable, Sendable {
        /// Texts, names and further memberships of a user who is erased.
        case user(UserID)
        /// The rows of a thread that is deleted.
        case thread(ThreadID)
    }

    package let subject: Subject
    /// When the claim ends, in milliseconds of the store's clock; it also tells one claim from the next.
    package let lease: Int64

    package init(subject: Subject, lease: Int64) {
        self.subject = subject
        self.lease = lease
    }
}

extension Cleanup.Subject {
    private static let userKind = "user"
    private static let threadKind = "thread"

    /// The key of the table `cleanups`.
    package var stored: (kind: String, id: String) {
        switch self {
        case .user(let user): (Self.userKind, user.text)
        case .thread(let thread): (Self.threadKind, thread.text)
        }
    }

    /// - Returns: `nil` for a kind that this version does not know.
    package init?(storedKind kind: String, id: String) {
        switch kind {
        case Self.userKind: self = .user(UserID(trusted: id))
        case Self.threadKind: self = .thread(ThreadID(trusted: id))
        default: return nil
        }
    }
}
