/// Changes of threads, members, sessions and accounts, each one transaction.
///
/// A transaction contains the change, its outbox entries (`Outbox`), and a higher version of every affected user
/// (`ChangeFeed`). When a call returns, all of it is durable. When a call throws `unavailable`, the result is unknown, and
/// repeating the call determines it. The caller decides about rights: `authorize` is called inside the transaction with the
/// roles at that instant, and an error that it throws rolls the transaction back.
///
/// A change of rights also writes a row of the audit log (`AuditNote`), which names the `actor`.
///
/// The outbox entries of a thread are in the order of their transactions, and have the date of the store's clock.
package protocol StateStore: EntranceStore {
    // MARK: Members

    /// Makes `user` a member of the room with this title. That is the user's own room that is not public, if there is exactly
    /// one, otherwise the public room, and otherwise a new room. Concurrent calls create one room. The creator becomes its
    /// owner; others get the role of their `Restrictions`. Outbox, unless the user was already a member: `joined`, and `role`
    /// if the role is `read_only`.
    /// - Parameters:
    ///   - id: The id of a new room.
    ///   - visibility: The visibility of a new room.
    ///   - history: The history of a new room. Its creator sees all of it.
    ///   - authorize: Called with the user as requester and as subject, unless they are a member. Called without a thread if
    ///     the room would be created.
    /// - Throws: `StoreError.taken` if the room is new and its id belongs to another thread; `failed` if the user is unknown or
    ///   erased; errors of `authorize`.
    func join(
        _ user: User, roomTitled title: String, newID id: ThreadID, visibility: RoomVisibility, history: RoomHistory,
        at milliseconds: Int64, authorize: @escaping Authorization
    ) async throws -> StateChange<JoinedRoom>

    /// Makes a user a member of a room, or changes a member's role. Outbox: `joined` for a new member, and `role` if it is not
    /// `member`. A new membership ends the user's `Restrictions`.
    ///
    /// The log begins for a new member where the history of the room says (`HistoryStart`).
    /// - Parameters:
    ///   - role: The role; `nil` keeps the role of a member, and gives a new member the role of their `Restrictions`.
    ///   - requester: The user who makes the change, for the event and for `authorize`.
    ///   - authorize: Must throw if the thread does not exist.
    /// - Returns: The change, without roles before and after if the user is unknown or erased.
    func setMember(
        _ user: User, of thread: ThreadID, role: Membership.Role?, by requester: UserID, as actor: AuditActor,
        at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<MemberChange>

    /// Ends a membership. Outbox: `left`, if there was a membership.
    /// - Parameters:
    ///   - isRemoval: Whether another user ends the membership, so that the user cannot join again by themselves.
    ///   - authorize: Must throw if the thread does not exist.
    func removeMember(
        _ user: User, from thread: ThreadID, by requester: UserID, as actor: AuditActor, isRemoval: Bool,
        at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<MemberChange>

    /// Mutes or bans a user in a room, in place of an earlier sanction of the kind. A ban ends the membership. Outbox: `left`, if
    /// a ban ends a membership.
    /// - Parameters:
    ///   - author: The member or operator who decides; `nil` for an operator without an account.
    ///   - requester: The user who makes the change, for the event and for `authorize`.
    ///   - authorize: Must throw if the thread does not exist.
    /// - Returns: The change of the membership; `nil`, without any change, if the user is unknown or erased.
    func sanction(
        _ user: User, in thread: ThreadID, _ sanction: Sanction, author: UserID?, by requester: UserID,
        as actor: AuditActor,
        at milliseconds: Int64, authorize: @escaping Authorization
    ) async throws -> StateChange<MemberChange?>

    /// Ends a sanction. No outbox entry.
    /// - Parameter authorize: Must throw if the thread does not exist.
    /// - Returns: The sanction, which may have ended before; `nil` if there was none.
    func endSanction(
        _ kind: Sanction.Kind, of user: User, in thread: ThreadID, by requester: UserID, as actor: AuditActor,
        authorize: @escaping Authorization
    ) async throws -> StateChange<Sanction?>

    // MARK: Links

    /// Adds a link to a room, and removes links of the room that are not in force. No outbox entry.
    /// - Parameters:
    ///   - code: The hash of the link's code, which no other link has.
    ///   - authorize: Called with the author as requester. Must throw if the thread does not exist.
    /// - Returns: Whether the link was added; `false`, without any change, if the room has `RoomLink.mostInForce` links in
    ///   force when this one is made.
    func addLink(_ link: RoomLink, code: TokenHash, to thread: ThreadID, authorize: @escaping Authorization)
        async throws -> StateChange<Bool>

    /// Removes a link from a room. No outbox entry.
    /// - Parameter authorize: Must throw if the thread does not exist.
    /// - Returns: The link, which may have ended before; `nil` if the room has no such link.
    func removeLink(
        _ link: LinkID, of thread: ThreadID, by requester: UserID, as actor: AuditActor,
        authorize: @escaping Authorization
    ) async throws -> StateChange<RoomLink?>

    /// Makes `user` a member of the room that a link leads into, and counts one use, in one transaction. Outbox, unless the user
    /// was already a member: as `join`.
    /// - Parameters:
    ///   - code: The hash of the code.
    ///   - authorize: Called with the user as requester and as subject, unless they are a member.
    /// - Returns: The membership; `nil`, without any change, if there is no such link, if it has expired, and if it is used up
    ///   and the user is not a member.
    /// - Throws: `StoreError.failed` if the user is unknown or erased and the link is in force; errors of `authorize`.
    func follow(
        _ code: TokenHash, by user: User, at milliseconds: Int64, authorize: @escaping Authorization
    ) async throws -> StateChange<JoinedRoom?>

    // MARK: Threads

    /// Renames a room. Outbox: `renamed`, unless the title is the same.
    /// - Returns: The change; `nil` if there is no such room.
    /// - Throws: `StoreError.taken` if the room is public and another public room has the title; errors of `authorize`.
    func rename(
        _ thread: ThreadID, to title: String, by requester: UserID, as actor: AuditActor, at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<RoomChange?>

    /// Changes the visibility of a room. Outbox: `visibility`, unless it is the same.
    /// - Parameter requester: The author of the event, whose role `authorize` gets.
    /// - Returns: The change; `nil` if there is no such room.
    /// - Throws: `StoreError.taken` if the room becomes public and another public room has its title; errors of
    ///   `authorize`.
    func setVisibility(
        _ visibility: RoomVisibility, of thread: ThreadID, by requester: UserID, as actor: AuditActor,
        authorize: @escaping Authorization
    ) async throws -> StateChange<RoomChange?>

    /// Changes what later members of a room see of the time before they joined. No outbox entry.
    /// - Parameter requester: The user whose role `authorize` gets.
    /// - Returns: The history before the change; `nil` if there is no such room.
    func setHistory(
        _ history: RoomHistory, of thread: ThreadID, by requester: UserID, as actor: AuditActor,
        authorize: @escaping Authorization
    ) async throws -> StateChange<RoomHistory?>

    /// Changes the details of a room. No outbox entry: nodes learn of it by the change feed.
    /// - Parameter requester: The user whose role `authorize` gets.
    /// - Returns: The change; `nil` if there is no such room.
    func setRoom(
        _ update: RoomUpdate, of thread: ThreadID, by requester: UserID, as actor: AuditActor,
        authorize: @escaping Authorization
    ) async throws -> StateChange<RoomDetailsChange?>

    /// Deletes a thread and all of its content. Outbox: `forgetThread`. Afterwards no event of the thread's previous epochs is
    /// stored. A thread that is created again under the id begins another epoch.
    ///
    /// The table `deleted_epochs` (thread_id, epoch) has a row for the epoch stored last (`''` if none), and one for each epoch
    /// passed to `Outbox.completeForgotten`. `MessageStore.write` reads it, and looks for a `forgetThread` entry of the thread,
    /// only when the epoch of an event differs from the epoch in the thread's row. If there is such an entry, or the epoch is
    /// in the table, the event belongs to the deleted thread, and is neither stored nor rejected.
    /// - Returns: The deleted thread; `nil` if there is no such thread.
    func deleteThread(
        _ thread: ThreadID, by requester: UserID, as actor: AuditActor, authorize: @escaping Authorization
    )
        async throws -> StateChange<DeletedThread?>

    // MARK: Blocks

    /// Lets a user block another. A block that exists keeps its date. No outbox entry.
    func block(_ other: UserID, by user: UserID, at milliseconds: Int64) async throws(StoreError) -> BlockOutcome

    /// Ends a block.
    /// - Returns: Whether there was one.
    func unblock(_ other: UserID, by user: UserID) async throws(StoreError) -> Bool

    // MARK: Accounts

    /// Grants or revokes operator rights.
    /// - Returns: Whether anything changed; `nil` if the user is unknown or erased.
    func setOperator(_ isOperator: Bool, of user: UserID, by actor: AuditActor, at milliseconds: Int64)
        async throws(StoreError) -> StateChange<Bool?>

    /// Suspends a user from the whole site, in place of an earlier suspension. No outbox entry: memberships and sessions stay.
    /// - Parameters:
    ///   - actor: The operator who decides.
    ///   - milliseconds: The current time.
    /// - Returns: The suspension before the change, which may have ended; `nil`, without any change, if the user is unknown or
    ///   erased.
    func suspend(_ user: UserID, _ suspension: Suspension, by actor: AuditActor, at milliseconds: Int64)
        async throws(StoreError) -> StateChange<Suspension??>

    /// Ends a suspension.
    /// - Returns: The suspension, which may have ended before; `nil` if there was none.
    func endSuspension(of user: UserID, by actor: AuditActor) async throws(StoreError) -> StateChange<Suspension?>

    /// Replaces a password hash, ends all sessions of the user except `kept`, and raises the credentials version, which
    /// invalidates sockets and tickets without a session.
    /// - Parameters:
    ///   - profile: A profile to set in the same transaction; `nil` keeps the current one.
    ///   - version: The credentials version that the caller has checked; `nil` for any.
    ///   - actor: The operator who resets the password; `nil` for the user, whose change is not in the audit log.
    /// - Returns: The ended sessions; `nil`, without any change, if the user has another version, is unknown, or is erased.
    /// - Throws: `StoreError.noAvatar`, without any change.
    func setPassword(
        _ hash: String, and profile: Profile?, of user: UserID, keeping kept: TokenHash?, ifVersion version: Int64?,
        by actor: AuditActor?
    ) async throws(StoreError) -> StateChange<[TokenHash]?>

    /// Ends all sessions, sockets and tickets of a user, and raises the credentials version.
    func revokeAll(of user: UserID, by actor: AuditActor) async throws(StoreError) -> StateChange<[TokenHash]>

    /// Ends all sessions of a user except `kept`. Nothing else becomes invalid.
    /// - Returns: The ended sessions.
    func revokeSessions(of user: UserID, keeping kept: TokenHash?) async throws(StoreError) -> StateChange<[TokenHash]>

    /// Ends one session.
    /// - Parameter actor: The operator who ends it; `nil` for the user, which leaves no row in the audit log.
    /// - Returns: The user of the session; `nil` if there is no such session.
    func revokeSession(_ token: TokenHash, by actor: AuditActor?) async throws(StoreError) -> StateChange<UserID?>

    /// Erases a user: their name (which becomes free), password, profile, sessions and memberships. Raises the credentials
    /// version. Outbox: `left` for each of their rooms, and `redactUser` for each thread that they belonged to or wrote in.
    ///
    /// This is one transaction, which also ends at most a few hundred memberships. Afterwards reads return no text, part or
    /// name of the user, although the rows still contain them. The steps of a cleanup (`Cleanups`) redact those rows, end the
    /// other memberships, and write the remaining outbox entries.
    /// - Parameter actor: The user, or the operator who erases the user.
    /// - Returns: Whether the user exists, erased by this call or before, and the outbox entries written by this call.
    func eraseUser(
        _ user: UserID, at milliseconds: Int64, by actor: AuditActor
    ) async throws(StoreError) -> StateChange<Bool>
}

extension StateStore {
    /// Joins a room by its title. A new room is public by default, and shows its whole history.
    package func join(
        _ user: User, roomTitled title: String, newID id: ThreadID, visibility: RoomVisibility = .public,
        at milliseconds: Int64, authorize: @escaping Authorization
    ) async throws -> StateChange<JoinedRoom> {
        try await join(
            user, roomTitled: title, newID: id, visibility: visibility, history: .all, at: milliseconds,
            authorize: authorize)
    }
}

/// Decides inside a transaction whether a change is allowed. Its error is passed on to the caller. Called again for each retry
/// of the transaction.
package typealias Authorization = @Sendable (MemberRoles) throws -> Void

/// The roles of the two users involved in a change, at the instant of the change.
package struct MemberRoles: Hashable, Sendable {
    /// The thread; `nil` if it does not exist.
    package var thread: ThreadInfo?
    /// The role of the requester; `nil` if they are not a member.
    package var requester: Membership.Role?
    /// The role of the user whom the change affects; `nil` if they are not a member, or if the change affects the thread.
    package var subject: Membership.Role?
    /// The restrictions of the affected user. A member has none.
    package var restrictions: Restrictions
    /// The sanctions of the affected user, including expired ones.
    package var sanctions: Sanctions
    /// The history of the thread for a new member.
    package var history: RoomHistory
    /// Where the log begins for the affected user.
    package var start: HistoryStart?
    /// The rights and the slow mode of the room.
    package var options: RoomOptions
    /// Whether one of the two users blocks the other.
    package var isBlocked: Bool

    package init(
        thread: ThreadInfo?, requester: Membership.Role?, subject: Membership.Role?,
        restrictions: Restrictions = .none, sanctions: Sanctions = .none, history: RoomHistory = .all,
        start: HistoryStart? = nil, options: RoomOptions = .standard, isBlocked: Bool = false
    ) {
        self.options = options
        self.isBlocked = isBlocked
        self.history = history
        self.start = start
        self.thread = thread
        self.requester = requester
        self.subject = subject
        self.restrictions = restrictions
        self.sanctions = sanctions
    }
}

/// The result of a transaction.
package struct StateChange<Value: Sendable>: Sendable {
    package var value: Value
    /// The outbox entries written, oldest first; empty if nothing changed or nothing needs to be relayed.
    package var outbox: [OutboxEntry]

    package init(_ value: Value, outbox: [OutboxEntry] = []) {
        self.value = value
        self.outbox = outbox
    }
}

/// A member's role before and after a change.
package struct MemberChange: Hashable, Sendable {
    package var thread: ThreadInfo
    /// The role before the change; `nil` if the user was not a member.
    package var before: Membership.Role?
    package var after: Membership.Role?
    /// The user's mute in the thread, which may have ended.
    package var mute: Sanction?
    /// Where the log begins for the member after the change; `joining` without its entry for a new member.
    package var start: HistoryStart?
    package var options: RoomOptions

    package init(
        thread: ThreadInfo, before: Membership.Role?, after: Membership.Role?, mute: Sanction? = nil,
        start: HistoryStart? = nil, options: RoomOptions = .standard
    ) {
        self.options = options
        self.thread = thread
        self.before = before
        self.after = after
        self.mute = mute
        self.start = start
    }
}

/// A room before and after a change. Both are equal if nothing was changed.
package struct RoomChange: Hashable, Sendable {
    package var before: ThreadInfo
    package var after: ThreadInfo

    package init(before: ThreadInfo, after: ThreadInfo) {
        self.before = before
        self.after = after
    }
}

/// A deleted thread in its last state.
package struct DeletedThread: Hashable, Sendable {
    package var thread: ThreadInfo
    /// The members in the byte order of their ids.
    package var members: [UserID]

    package init(thread: ThreadInfo, members: [UserID]) {
        self.thread = thread
        self.members = members
    }
}
