/// Changes of threads, members, sessions and accounts, each one transaction.
///
/// A transaction holds the change, the outbox entries that tell of it (`Outbox`), and a higher version of every user
/// concerned (`ChangeFeed`). When a call returns, all of it is durable; when it throws `unavailable`, the caller does not
/// know, and a repeat finds out. Who may do what is not decided here: `authorize` is called inside the transaction with
/// the roles as they are at that instant, and what it throws ends the transaction without a change.
///
/// The outbox entries of a thread have the order of their transactions, and the date of the store's clock.
package protocol StateStore: Sendable {
    // MARK: Members

    /// Makes `user` a member of the room of this title, creating the room if there is none: however many ask at once,
    /// there is one room of a title. The creator is its owner. Outbox: `joined`, unless they were a member.
    /// - Parameter id: the id of the room if it is new.
    /// - Throws: `taken` if the room is new and its id is another thread's, `failed` if the user is unknown or erased.
    func join(_ user: User, roomTitled title: String, newID id: ThreadID, at milliseconds: Int64)
        async throws(StoreError) -> StateChange<JoinedRoom>

    /// Makes a user a member of a room, or gives a member another role. Outbox: `joined` for a newcomer, and `role` if
    /// it is not `member`.
    /// - Parameters:
    ///   - role: `nil`: as it is; a newcomer becomes a `member`.
    ///   - asker: who does it, for the event and for `authorize`.
    ///   - authorize: must throw if there is no such thread.
    /// - Returns: without a role before and after if the user is unknown or erased.
    func setMember(
        _ user: User, of thread: ThreadID, role: Membership.Role?, by requester: UserID, at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<MemberChange>

    /// Ends a membership. Outbox: `left`, if there was one.
    /// - Parameter authorize: must throw if there is no such thread.
    func removeMember(
        _ user: User, from thread: ThreadID, by requester: UserID, at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<MemberChange>

    // MARK: Threads

    /// Gives a room another title. Outbox: `renamed`, unless it has it already.
    /// - Returns: `nil` if there is no such room.
    /// - Throws: `StoreError.taken` if another room has the title; what `authorize` throws.
    func rename(
        _ thread: ThreadID, to title: String, by requester: UserID, at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<RoomRename?>

    /// Deletes a thread with everything in it. Outbox: `forgetThread`. From now on no event of the thread's epochs so
    /// far is stored; a thread made again under the id begins another epoch.
    ///
    /// The store's table `deleted_epochs` (thread_id, epoch) has a row with the epoch that was stored last (`''`: none),
    /// and each that `Outbox.completeForgotten` tells. `MessageStore.write` looks there, and for an entry `forgetThread` of
    /// the thread, only when an event brings an epoch that the thread's row has not: while there is such an entry, and for
    /// an epoch of the table, the event is of the thread that was deleted, and nothing of it is stored or set aside.
    /// - Returns: `nil` if there is no such thread.
    func deleteThread(_ thread: ThreadID, by requester: UserID, authorize: @escaping Authorization)
        async throws -> StateChange<DeletedThread?>

    // MARK: Accounts

    /// Makes a user an operator, or one no more.
    /// - Returns: whether that changed anything; `nil` if the user is unknown or erased.
    func setOperator(_ isOperator: Bool, of user: UserID, at milliseconds: Int64)
        async throws(StoreError) -> StateChange<Bool?>

    /// Replaces a password hash, ends all sessions of the user but `kept`, and raises the credentials version, which
    /// voids sockets and tickets that hang on no session.
    /// - Parameters:
    ///   - profile: a new one, set in the same transaction; `nil`: as it is.
    ///   - version: the credentials version by which it was allowed; `nil`: whatever it is.
    /// - Returns: the sessions that were ended; `nil`, and nothing is changed, if the user has another version, is unknown
    ///   or erased.
    func setPassword(
        _ hash: String, and profile: Profile?, of user: UserID, keeping kept: TokenHash?, ifVersion version: Int64?
    ) async throws(StoreError) -> StateChange<[TokenHash]?>

    /// Ends all sessions, sockets and tickets of a user; raises the credentials version.
    func revokeAll(of user: UserID) async throws(StoreError) -> StateChange<[TokenHash]>

    /// Ends one session.
    /// - Returns: whose it was; `nil` if there is none.
    func revokeSession(_ token: TokenHash) async throws(StoreError) -> StateChange<UserID?>

    /// Erases a user: name (which is free again), password, profile, sessions, memberships; raises the credentials version.
    /// Outbox: `left` for each room they were in, and `redactUser` for each thread they were in or have written to.
    ///
    /// One transaction, which also ends the memberships of up to some hundred threads. From then on reading shows no text,
    /// part or name of the user, though the rows still hold them; they, and further memberships, go in the steps of a
    /// cleanup (`Cleanups`), and with them the rest of the outbox.
    /// - Returns: whether there is such a user, erased by this call or before; and what this call has written to the outbox.
    func eraseUser(_ user: UserID, at milliseconds: Int64) async throws(StoreError) -> StateChange<Bool>
}

/// Decides inside a transaction whether a change may happen; throws what the caller of the change is to get. Called once
/// more for each attempt of a transaction that met others.
package typealias Authorization = @Sendable (MemberRoles) throws -> Void

/// Who the two of a change of members are to the thread, at the instant of the change.
package struct MemberRoles: Hashable, Sendable {
    /// `nil`: there is no such thread.
    package var thread: ThreadInfo?
    /// The role of whoever asks; `nil`: no member.
    package var requester: Membership.Role?
    /// The role of the user whom the change is about; `nil`: no member, or it is about the thread.
    package var subject: Membership.Role?

    package init(thread: ThreadInfo?, requester: Membership.Role?, subject: Membership.Role?) {
        self.thread = thread
        self.requester = requester
        self.subject = subject
    }
}

/// What a transaction has done.
package struct StateChange<Value: Sendable>: Sendable {
    package var value: Value
    /// The outbox entries it has written, oldest first; empty if nothing was changed, or nothing is to be told.
    package var outbox: [OutboxEntry]

    package init(_ value: Value, outbox: [OutboxEntry] = []) {
        self.value = value
        self.outbox = outbox
    }
}

/// A membership before and after a change.
package struct MemberChange: Hashable, Sendable {
    package var thread: ThreadInfo
    /// `nil`: no member.
    package var before: Membership.Role?
    package var after: Membership.Role?

    package init(thread: ThreadInfo, before: Membership.Role?, after: Membership.Role?) {
        self.thread = thread
        self.before = before
        self.after = after
    }
}

/// A room before and after it was given a title; the same twice if it had it already.
package struct RoomRename: Hashable, Sendable {
    package var before: ThreadInfo
    package var after: ThreadInfo

    package init(before: ThreadInfo, after: ThreadInfo) {
        self.before = before
        self.after = after
    }
}

/// A thread that is gone, as it was.
package struct DeletedThread: Hashable, Sendable {
    package var thread: ThreadInfo
    /// In the order of their ids' bytes.
    package var members: [UserID]

    package init(thread: ThreadInfo, members: [UserID]) {
        self.thread = thread
        self.members = members
    }
}
