package import ParleyModel

extension Messaging {
    /// Returns the members of a thread in the byte order of their ids.
    /// - Parameter user: The user to continue after.
    package func members(
        of thread: ReadableThread, after user: UserID?, limit: Int
    ) async throws(MessagingError) -> ListPage<Member> {
        try await members(of: thread.id, after: user, limit: limit)
    }

    func members(
        of thread: ThreadID, after user: UserID?, limit: Int
    ) async throws(MessagingError) -> ListPage<Member> {
        try await read {
            ListPage(try await ports.accounts.members(of: thread, after: user, limit: limit + 1), limit: limit)
        }
    }
}
