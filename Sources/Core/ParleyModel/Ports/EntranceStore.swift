/// Ways into threads that are not public: groups, invitations and requests. Part of `StateStore`, whose rules for
/// transactions hold here.
///
/// Every change of an invitation or a request raises the version of its thread, and one of an invitation that of its user
/// (`ChangePage.entrances`).
package protocol EntranceStore: Sendable {
    /// Creates a group with its members, the maker as the owner. Outbox: `joined` for each.
    /// - Returns: The users among the members who are unknown or erased, in no particular order; if there are any, nothing is changed.
    /// - Throws: `StoreError.taken` if the id belongs to another thread.
    func createGroup(_ group: NewGroup, at milliseconds: Int64) async throws(StoreError) -> StateChange<GroupCreation>

    /// Changes an invitation or a request, or makes a user a member by one. Outbox: as `setMember`.
    ///
    /// A new membership ends the user's invitation and request.
    /// - Parameters:
    ///   - user: The user who is invited, requests, enters, or becomes the owner.
    ///   - requester: The user who makes the change.
    ///   - authorize: Called inside the transaction. It must throw if the change is not possible, such as for a thread
    ///     that does not exist. A request may be made for a thread that does not exist.
    /// - Returns: What was known before, and the change of the membership, if there was one.
    func changeEntrance(
        _ change: EntranceChange, of user: User, in thread: ThreadID, by requester: UserID, at milliseconds: Int64,
        authorize: @escaping @Sendable (EntranceFacts) throws -> Void
    ) async throws -> StateChange<EntranceOutcome>

    /// The open invitations of a user, in the byte order of the threads' ids.
    /// - Parameters:
    ///   - now: The current time in Unix milliseconds.
    ///   - thread: The thread to continue after; `nil` starts at the beginning.
    ///   - limit: The maximum number of invitations.
    func invitations(of user: UserID, at now: Int64, after thread: ThreadID?, limit: Int)
        async throws(StoreError) -> [InvitationRecord]

    /// The open invitations to a thread, in the byte order of the users' ids.
    func invitations(in thread: ThreadID, at now: Int64, after user: UserID?, limit: Int)
        async throws(StoreError) -> [InvitationRecord]

    /// The requests of a user that have neither ended nor been withdrawn, refused ones included, in the byte order of the threads'
    /// ids.
    func requests(of user: UserID, at now: Int64) async throws(StoreError) -> [RequestRecord]

    /// The open requests of users who are not banned in a thread, in the byte order of the users' ids.
    func requests(in thread: ThreadID, at now: Int64, after user: UserID?, limit: Int)
        async throws(StoreError) -> [RequestRecord]
}

/// A change of the ways into a thread.
package enum EntranceChange: Hashable, Sendable {
    /// Invites the user, in place of an earlier invitation.
    case invite(Invitation)
    case endInvitation
    case acceptInvitation
    /// Makes a request, unless one is current. Expired requests of the user are removed.
    case request(JoinRequest)
    case withdrawRequest
    case refuseRequest
    case acceptRequest
    /// Makes the user the owner, and the requester a moderator.
    case handOver
}

/// The facts that a change of the ways into a thread depends on.
package struct EntranceFacts: Hashable, Sendable {
    package var roles: MemberRoles
    /// The user exists and is not erased.
    package var isSubjectPresent: Bool
    /// The user's invitation, which may have expired.
    package var invitation: Invitation?
    /// The user's request, which may have expired.
    package var request: JoinRequest?
    package var counts: EntranceCounts

    package init(
        roles: MemberRoles, isSubjectPresent: Bool, invitation: Invitation? = nil, request: JoinRequest? = nil,
        counts: EntranceCounts = EntranceCounts()
    ) {
        self.roles = roles
        self.isSubjectPresent = isSubjectPresent
        self.invitation = invitation
        self.request = request
        self.counts = counts
    }
}

/// The numbers of open invitations and of current requests.
package struct EntranceCounts: Hashable, Sendable {
    package var invitationsOfThread: Int64
    package var invitationsOfUser: Int64
    /// The open requests in the thread.
    package var requestsOfThread: Int64
    /// The requests that the user sees.
    package var requestsOfUser: Int64

    package init(
        invitationsOfThread: Int64 = 0, invitationsOfUser: Int64 = 0, requestsOfThread: Int64 = 0,
        requestsOfUser: Int64 = 0
    ) {
        self.invitationsOfThread = invitationsOfThread
        self.invitationsOfUser = invitationsOfUser
        self.requestsOfThread = requestsOfThread
        self.requestsOfUser = requestsOfUser
    }
}

/// The result of a change of the ways into a thread.
package struct EntranceOutcome: Hashable, Sendable {
    package var before: EntranceFacts
    /// The change of the user's membership; `nil` if the change was none of memberships.
    package var member: MemberChange?

    package init(before: EntranceFacts, member: MemberChange? = nil) {
        self.before = before
        self.member = member
    }
}

/// A group to create.
package struct NewGroup: Hashable, Sendable {
    package var id: ThreadID
    /// `nil` for a group that is named by its members.
    package var title: String?
    package var maker: User
    /// The other members.
    package var members: [User]

    package init(id: ThreadID, title: String?, maker: User, members: [User]) {
        self.id = id
        self.title = title
        self.maker = maker
        self.members = members
    }

    /// All members, the maker first.
    package var all: [User] { [maker] + members }

    /// The group as `ThreadInfo`. Without a title of its own, its title is the names of its first members.
    package var info: ThreadInfo {
        let names = all.sorted { $0.id.text < $1.id.text }.prefix(ThreadInfo.namesInTitle).map(\.name)
        return ThreadInfo(id: id, kind: .group, title: title ?? names.joined(separator: ThreadInfo.nameSeparator))
    }
}

/// The result of the creation of a group.
package struct GroupCreation: Hashable, Sendable {
    package var thread: ThreadInfo
    /// The users who are unknown or erased; if there are any, the group does not exist.
    package var missing: Set<UserID>
    /// The users who block the maker, or are blocked by the maker; if there are any, the group does not exist either.
    package var blocked: Set<UserID>

    package init(thread: ThreadInfo, missing: Set<UserID> = [], blocked: Set<UserID> = []) {
        self.thread = thread
        self.missing = missing
        self.blocked = blocked
    }
}

/// An invitation in a list.
package struct InvitationRecord: Hashable, Sendable {
    package var thread: ThreadInfo
    package var user: User
    package var author: User
    package var invitation: Invitation

    package init(thread: ThreadInfo, user: User, author: User, invitation: Invitation) {
        self.thread = thread
        self.user = user
        self.author = author
        self.invitation = invitation
    }
}

/// A request in a list. Its thread need not exist.
package struct RequestRecord: Hashable, Sendable {
    package var thread: ThreadID
    package var user: User
    package var request: JoinRequest

    package init(thread: ThreadID, user: User, request: JoinRequest) {
        self.thread = thread
        self.user = user
        self.request = request
    }
}
