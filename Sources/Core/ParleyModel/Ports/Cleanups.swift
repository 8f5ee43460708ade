/// The remaining work of erasures and deletions. Their first transaction is bounded; the rest is done in steps.
///
/// The store records the remaining work (table `cleanups`), so it survives the process that began it. Any number of processes
/// may claim cleanups, and each cleanup is claimed by one process at a time.
package protocol Cleanups: Sendable {
    /// Claims unclaimed cleanups, starting with the longest neglected ones.
    ///
    /// A claim lasts for `Cleanup.leaseMilliseconds` of the store's clock; each step renews it.
    /// - Parameter limit: The maximum number of claims; 0 or less claims none.
    func claimCleanups(limit: Int) async throws(StoreError) -> [Cleanup]

    /// Does the remaining work in transactions that each touch at most a few thousand rows. Returns when nothing is left, or
    /// when another process has taken over.
    ///
    /// The outbox entries of a cleanup are overdue at once, since only persisters relay them.
    /// - Parameter sends: Forgets the `client_id`s of an erased user before the rows do, so that none remains.
    /// - Throws: The error of a step. Completed steps stay completed, and the cleanup is due again when the claim expires.
    func finish(_ cleanup: Cleanup, forgetting sends: any SendMemory) async throws(StoreError)

    /// Deletes ways into threads that have ended before a time, the oldest first: links that have expired or are used up,
    /// invitations that have expired, and requests whose `JoinRequest.lifetime` is over.
    /// - Parameters:
    ///   - milliseconds: Unix milliseconds.
    ///   - limit: The maximum number of rows of each kind; 0 or less deletes none.
    /// - Returns: The number of deleted rows.
    func removeEndedEntrances(before milliseconds: Int64, limit: Int) async throws(StoreError) -> Int
}

/// A cleanup claimed by this process.
package struct Cleanup: Hashable, Sendable {
    /// The time after which a claim without a step expires.
    package static let leaseMilliseconds: Int64 = 2000

    package enum Subject: Hashable, Sendable {
        /// Texts, names, reactions, `client_id`s and remaining memberships of an erased user.
        case user(UserID)
        /// The rows of a deleted thread.
        case thread(ThreadID)
    }

    package let subject: Subject
    /// The expiry of the claim in milliseconds of the store's clock. It also distinguishes one claim from the next.
    package let lease: Int64

    package init(subject: Subject, lease: Int64) {
        self.subject = subject
        self.lease = lease
    }
}

extension SendMemory {
    /// Calls `forget` in a step of a cleanup.
    package func forgetNames(_ clientIDs: [String], of user: UserID) async throws(StoreError) {
        guard !clientIDs.isEmpty else { return }
        do throws(AppendError) {
            try await forget(clientIDs, of: user)
        } catch {
            throw .unavailable("the log could not forget the sends of a user: \(error)")
        }
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

    /// - Returns: `nil` if the kind is unknown to this version.
    package init?(storedKind kind: String, id: String) {
        switch kind {
        case Self.userKind: self = .user(UserID(trusted: id))
        case Self.threadKind: self = .thread(ThreadID(trusted: id))
        default: return nil
        }
    }
}
