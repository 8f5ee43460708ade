package import ParleyModel

/// Loads facts inside the transaction of a state change. They stay true until it ends.
package protocol StateFacts {
    /// Holds the thread: no other transaction changes its members, title or existence.
    /// - Parameter isSubjectHeld: whether the subject must not be erased either.
    func members(
        of thread: ThreadID, requester: UserID, subject: UserID?, isSubjectHeld: Bool
    ) throws -> MemberFacts

    /// Finds the room that a user enters by a title (`StateStore.join`) or creates it, and holds it.
    /// - Throws: `StoreError.taken` if the room is new and its id belongs to another thread.
    func room(_ new: NewRoom, for user: UserID, at milliseconds: Int64) throws -> RoomFacts

    /// All links of a thread that is held, including ended ones.
    func links(of thread: ThreadID) throws -> [RoomLink]

    /// Finds the room that a link leads into, and holds it and the user.
    /// - Parameter code: The hash of the link's code.
    /// - Returns: `nil` if there is no such link.
    func link(_ code: TokenHash, for user: UserID) throws -> LinkFacts?

    /// The details of a room that is held; the standard ones if there is no such room.
    func details(of thread: ThreadID) throws -> RoomDetails

    /// The facts for deleting a thread that is held.
    func deletion(of thread: ThreadID) throws -> DeletionFacts

    /// Holds a complete attachment of a user, which is not being removed; `nil` if there is none.
    func picture(_ id: AttachmentID, of owner: UserID) throws -> Attachment?

    /// The facts for a change of the ways into a thread, which is held as by `members`, with the subject.
    /// - Parameter now: The time at which expired invitations and requests are not counted.
    func entrance(
        of thread: ThreadID, requester: UserID, subject: UserID, at now: Int64
    ) throws -> EntranceFacts

    /// Holds the id of a thread to be created, and users who must not be erased.
    func group(_ thread: ThreadID, by maker: UserID, of users: [UserID]) throws -> GroupFacts

    // MARK: Erasure

    /// Whether a user exists, erased or not, and some of the threads that they are a member of, which are held. No event
    /// of the user is being stored.
    func erasure(of user: UserID) throws -> (isKnown: Bool, memberships: [HeldMembership])

    /// Some of the threads that a user is a member of, which are held.
    func memberships(of user: UserID) throws -> [HeldMembership]

    /// The first messages of a user with a `client_id` after another one, in the order of the store.
    func sentMessages(of user: UserID, withClientIDAfter clientID: String?, limit: Int) throws -> [SentMessage]

    /// The first messages of a user without a `client_id` after another one.
    func sentMessages(of user: UserID, withoutClientIDAfter last: SentMessage?, limit: Int) throws -> [SentMessage]

    /// Some of the `client_id`s of a user's messages.
    func clientIDs(of user: UserID, limit: Int) throws -> [String]

    /// Holds the threads, and returns those for which the outbox has an entry with this content.
    func threads(among threads: [ThreadID], withEntry content: OutboxEntry.Content) throws -> Set<ThreadID>

    // MARK: Changes whose rows are found and changed at once

    /// Gives events about a user who joined or left another name.
    /// - Returns: the thread of each changed event.
    func renameEvents(of user: UserID, to name: String, limit: Int) throws -> [ThreadID]

    /// Removes reactions of a user.
    /// - Returns: the thread of each changed event.
    func eraseReactions(of user: UserID, limit: Int) throws -> [ThreadID]

    /// Removes `client_id`s from a user's messages.
    func forgetClientIDs(_ clientIDs: [String], of user: UserID) throws
}

/// The facts that a change of a thread or a member depends on.
package struct MemberFacts: Hashable, Sendable {
    package var roles: MemberRoles
    /// The subject exists and is not erased. Only known if they are held.
    package var isSubjectPresent: Bool

    package init(roles: MemberRoles, isSubjectPresent: Bool) {
        self.roles = roles
        self.isSubjectPresent = isSubjectPresent
    }
}

/// A room that is created if there is none that the user enters.
package struct NewRoom: Hashable, Sendable {
    package var id: ThreadID
    package var title: String
    package var visibility: RoomVisibility
    package var history: RoomHistory

    package init(id: ThreadID, title: String, visibility: RoomVisibility, history: RoomHistory = .all) {
        self.id = id
        self.title = title
        self.visibility = visibility
        self.history = history
    }

    package var info: ThreadInfo { ThreadInfo(id: id, kind: .room, title: title, visibility: visibility) }
}

/// The facts that joining a room depends on.
package struct RoomFacts: Hashable, Sendable {
    package var room: ThreadInfo
    /// Created by this transaction.
    package var isNew: Bool
    /// The user exists and is not erased.
    package var isUserPresent: Bool
    /// `nil` if the user is not a member.
    package var role: Membership.Role?
    package var restrictions: Restrictions
    package var sanctions: Sanctions
    /// The history of the room for a new member.
    package var history: RoomHistory
    /// Where the log begins for the user, if they are a member.
    package var start: HistoryStart?
    package var options: RoomOptions

    package init(
        room: ThreadInfo, isNew: Bool, isUserPresent: Bool, role: Membership.Role?,
        restrictions: Restrictions = .none, sanctions: Sanctions = .none, history: RoomHistory,
        start: HistoryStart? = nil, options: RoomOptions = .standard
    ) {
        self.options = options
        self.history = history
        self.start = start
        self.room = room
        self.isNew = isNew
        self.isUserPresent = isUserPresent
        self.role = role
        self.restrictions = restrictions
        self.sanctions = sanctions
    }
}

/// The facts that following a link depends on.
package struct LinkFacts: Hashable, Sendable {
    package var link: RoomLink
    /// The user who follows the link, as requester and as subject.
    package var member: MemberFacts

    package init(link: RoomLink, member: MemberFacts) {
        self.link = link
        self.member = member
    }
}

/// The facts that the creation of a group depends on.
package struct GroupFacts: Hashable, Sendable {
    /// No thread has the id.
    package var isFree: Bool
    /// The users who exist and are not erased.
    package var present: Set<UserID>
    /// The users who block the maker, or are blocked by the maker.
    package var blocked: Set<UserID>

    package init(isFree: Bool, present: Set<UserID>, blocked: Set<UserID> = []) {
        self.isFree = isFree
        self.present = present
        self.blocked = blocked
    }
}

/// The facts that the deletion of a thread depends on.
package struct DeletionFacts: Hashable, Sendable {
    /// In the byte order of their ids.
    package var members: [UserID]
    /// The epoch stored last; empty for none.
    package var epoch: String

    package init(members: [UserID], epoch: String) {
        self.members = members
        self.epoch = epoch
    }
}

/// A thread that a user is a member of.
package struct HeldMembership: Hashable, Sendable {
    package let thread: ThreadID
    package let kind: ThreadInfo.Kind

    package init(thread: ThreadID, kind: ThreadInfo.Kind) {
        self.thread = thread
        self.kind = kind
    }
}

/// A message of a user who is being erased.
package struct SentMessage: Hashable, Sendable {
    package let thread: ThreadID
    package let seq: Int64
    package let id: MessageID
    package let clientID: String?
    /// Nothing is left to erase.
    package let isErased: Bool

    package init(thread: ThreadID, seq: Int64, id: MessageID, clientID: String?, isErased: Bool) {
        self.thread = thread
        self.seq = seq
        self.id = id
        self.clientID = clientID
        self.isErased = isErased
    }
}
