/// What has been revoked of late, over all nodes: what a resume ticket is checked against without a read of the store.
///
/// Whoever ends a session in the store, or erases a user, writes it here too. An entry need not outlive
/// `ticketLifetime`: by then every resume ticket that it concerns is over.
package protocol RevocationLedger: Sendable {
    /// Notes a revocation. Returns when it is noted, or when the ledger cannot be reached; then it is noted as soon as
    /// that is possible again.
    /// - Parameter expiry: Unix milliseconds, after which the entry can be forgotten.
    func revoke(_ revocation: Revocation, until expiry: Int64) async

    /// Whether any of these is revoked.
    /// - Throws: `LedgerError.unavailable` if the ledger does not know for sure: it is away, or has begun anew within
    ///   the lifetime of a ticket, so that entries may be missing. The store knows then.
    func isRevoked(_ revocations: [Revocation]) async throws(LedgerError) -> Bool
}

/// What can be revoked.
package enum Revocation: Hashable, Sendable {
    /// A session: logged out, or ended by its user.
    case session(TokenHash)
    /// All that a user has: erased.
    case user(UserID)

    /// How long a resume ticket can be used, and so how long a ledger must know what was revoked.
    package static let ticketLifetime = Duration.seconds(600)
}
