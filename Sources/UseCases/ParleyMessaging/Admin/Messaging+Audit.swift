import ParleyAccounts
package import ParleyModel

/// The audit log.
extension Messaging {
    /// Rows of all threads and users, newest first, for an operator.
    /// - Parameter id: The row to continue before.
    /// - Throws: `unavailable`.
    package func audit(
        _ filter: AuditFilter, before id: Int64?, limit: Int, by _: Operator
    ) async throws(MessagingError) -> ListPage<AuditEntry> {
        try await entries(filter, before: id, limit: limit)
    }

    /// Rows of a thread, newest first, for its owner and moderators.
    /// - Throws: `notFound`, `notAMember`, `forbidden` and `unavailable`.
    package func audit(
        of thread: ThreadID, _ filter: AuditFilter, before id: Int64?, limit: Int, by caller: Caller
    ) async throws(MessagingError) -> ListPage<AuditEntry> {
        let membership = try await membership(of: caller, in: thread)
        if let violation = ThreadRights.violation(sanctioning: nil, as: membership) { throw MessagingError(violation) }
        var filter = filter
        filter.thread = thread
        return try await entries(filter, before: id, limit: limit)
    }

    private func entries(
        _ filter: AuditFilter, before id: Int64?, limit: Int
    ) async throws(MessagingError) -> ListPage<AuditEntry> {
        try await read {
            ListPage(try await ports.accounts.auditEntries(filter, before: id, limit: limit + 1), limit: limit)
        }
    }
}
