package import ParleyModel

/// The outcome of a state change, decided from facts that a store has loaded, and executed by the store in the
/// transaction that loaded them.
package struct StateDecision<Value: Sendable>: Sendable {
    /// The result for the caller.
    package var value: Value
    /// In the order of their execution.
    package var changes: [TableChange] = []
    /// The new entries of the outbox, oldest first.
    package var outbox: [OutboxEntry.Draft] = []

    package init(_ value: Value) {
        self.value = value
    }

    /// Has an event appended to a thread's log.
    package mutating func announce(_ event: LogEvent.Body, in thread: ThreadID) {
        outbox.append(OutboxEntry.Draft(thread: thread, content: .append(event)))
    }
}

/// A change of the tables.
package enum TableChange: Hashable, Sendable {
    // MARK: Members

    /// Makes a user a member, whose cursor is at the end of what is stored. With `sinceJoining`, the log begins for them with
    /// the last `joined` entry for the thread that the decision adds to the outbox.
    case addMember(UserID, of: ThreadID, Membership.Role, showing: RoomHistory = .all, at: Int64)
    case setRole(UserID, of: ThreadID, Membership.Role)
    case removeMember(UserID, of: ThreadID)
    /// As `removeMember`, of many threads.
    case leave(UserID, [ThreadID])
    /// Restricts a user, unless they are erased.
    case restrict(UserID, in: ThreadID, Restrictions.Kind, since: Int64)
    /// Sanctions a user, unless they are erased, in place of an earlier sanction of the kind.
    case sanction(UserID, in: ThreadID, Sanction, author: UserID?, since: Int64)
    case endSanction(Sanction.Kind, of: UserID, in: ThreadID)

    // MARK: Links

    /// Adds a link with the hash of its code.
    case addLink(RoomLink, code: TokenHash, to: ThreadID)
    case removeLinks([LinkID], of: ThreadID)
    /// Counts one use more. The last one ends the link at this time.
    case useLink(LinkID, of: ThreadID, at: Int64)

    // MARK: Entrances

    /// Changes an invitation or a request of a user in a thread.
    case entrance(EntranceRow, of: UserID, in: ThreadID)
    /// Creates a group, without members.
    case createGroup(ThreadID, title: String?, at: Int64)

    // MARK: Threads

    /// Throws `StoreError.taken` if the room is public and another public room has the title.
    case setTitle(String, of: ThreadID)
    /// Throws `StoreError.taken` if the room becomes public and another public room has its title.
    case setVisibility(RoomVisibility, of: ThreadID)
    /// Concerns later members only.
    case setHistory(RoomHistory, of: ThreadID)
    case setRoom(RoomDetails, of: ThreadID)
    /// Ends the use of the earlier picture of a room, and begins that of another one, which is held.
    case setPicture(AttachmentID?, of: ThreadID)
    /// No event of this epoch is stored in the thread from now on. The empty text stands for no epoch.
    case endEpoch(String, of: ThreadID)
    /// Deletes a thread with its members. Its other rows go at once, or in the steps of a cleanup.
    case deleteThread(ThreadID)

    // MARK: Audit

    /// Adds a row to the audit log.
    case audit(AuditNote)

    // MARK: Erasure

    /// Adds a row to the audit log, removes the name, password, profile, rights and sessions of a user, and begins the cleanup
    /// of the rest.
    case eraseUser(UserID, at: Int64, by: AuditActor)
    /// Removes the texts of messages, with their earlier texts and reactions.
    case eraseMessages([SentMessage], of: UserID)
    /// Removes the texts of the rejected entries that a user has caused.
    case eraseRejects(of: UserID)
}

extension OutboxEntry {
    /// An entry that has no id yet.
    package struct Draft: Hashable, Sendable {
        package let thread: ThreadID
        package let content: Content

        package init(thread: ThreadID, content: Content) {
            self.thread = thread
            self.content = content
        }
    }
}
