import ParleyModel

extension MemberRoles {
    /// Returns the thread to change at a user's request.
    /// - Parameter requester: The user with the role `self.requester`.
    /// - Throws: `notFound` for an unknown thread, and for a thread that is hidden from the user.
    func thread(for requester: UserID) throws(MessagingError) -> ThreadInfo {
        guard let thread else { throw .noThread }
        if self.requester == nil, thread.isHidden(fromNonMember: requester) { throw .noThread }
        return thread
    }
}
