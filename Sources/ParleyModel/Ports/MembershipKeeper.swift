/// Takes users into rooms and out of threads, for whoever they ask.
package protocol MembershipKeeper: Sendable {
    /// Makes a user a member of the room of this title, which is made if there is none.
    ///
    /// When it returns, the user's live sockets have been told.
    /// - Returns: the room.
    func join(_ user: User, roomTitled title: String) async throws(MembershipFailure) -> ThreadInfo

    /// Ends the membership of a user who wants that.
    /// - Returns: where the log says so; `nil` if the user was no member.
    func leave(_ thread: ThreadID, _ user: User) async throws(MembershipFailure) -> Receipt?
}

/// Why a membership is as it was.
package enum MembershipFailure: Error, Hashable, Sendable {
    /// What was wrong and what is allowed.
    case badRequest(String)
    /// A backend is away or busy; the same call may succeed later.
    case unavailable
}
