package import ParleyJSON

/// The party that makes a change.
package enum AuditActor: Hashable, Sendable {
    /// An owner, a moderator, or any other user.
    case user(UserID)
    /// An operator with an account.
    case `operator`(UserID)
    /// An API key that acts for no user, by its name.
    case key(String)
    /// `parley admin`.
    case command

    /// The user who acts; `nil` for a party without an account.
    package var user: UserID? {
        switch self {
        case .user(let id), .operator(let id): id
        case .key, .command: nil
        }
    }
}

/// The name of an action in the audit log. The names are stored and on the wire.
package enum AuditAction: String, CaseIterable, Hashable, Sendable {
    case memberAdded = "member_added"
    case memberRemoved = "member_removed"
    case role
    case mute
    case muteEnded = "mute_ended"
    case ban
    case banEnded = "ban_ended"
    case renamed
    case visibility
    case history
    case room
    case linkMade = "link_made"
    case linkRevoked = "link_revoked"
    case invited
    case invitationWithdrawn = "invitation_withdrawn"
    case requestRefused = "request_refused"
    case threadDeleted = "thread_deleted"
    case messageDeleted = "message_deleted"
    case suspended
    case suspensionEnded = "suspension_ended"
    case sessionRevoked = "session_revoked"
    case sessionsRevoked = "sessions_revoked"
    case passwordReset = "password_reset"
    case operatorGranted = "operator_granted"
    case operatorRevoked = "operator_revoked"
    case accountCreated = "account_created"
    case profile
    case keyCreated = "key_created"
    case keyRevoked = "key_revoked"
    case erased
}

/// A change of rights, or a removal of content of another user. A row of the table `audit`, written in the transaction of the
/// change; it never has the text of a message.
package struct AuditNote: Hashable, Sendable {
    package var actor: AuditActor
    package var action: AuditAction
    package var thread: ThreadID?
    /// The user concerned.
    package var user: UserID?
    package var reason: String?
    /// The state before the change, if the action has one.
    package var before: AuditState?
    /// The state after the change, if the action has one.
    package var after: AuditState?

    package init(
        _ action: AuditAction, by actor: AuditActor, in thread: ThreadID? = nil, of user: UserID? = nil,
        reason: String? = nil, before: AuditState? = nil, after: AuditState? = nil
    ) {
        self.actor = actor
        self.action = action
        self.thread = thread
        self.user = user
        self.reason = reason
        self.before = before
        self.after = after
    }
}

/// The part of the state that an action changes.
package enum AuditState: Hashable, Sendable {
    case role(Membership.Role)
    /// The end of a sanction or a suspension in Unix milliseconds; `nil` for none.
    case end(Int64?)
    case title(String)
    case visibility(RoomVisibility)
    case history(RoomHistory)
    /// The options of a room. The description and the rules are not in the log.
    case room(RoomOptions)
    case link(LinkID)
    /// The name of an API key.
    case name(String)
    /// A deleted message.
    case message(MessageID)

    /// An object with one member, as in the stores and on the wire.
    package var tree: JSONTree {
        switch self {
        case .role(let role): .object(["role": .text(role.rawValue)])
        case .end(let until): .object(["until_ms": until.map { .integer($0) } ?? .null])
        case .title(let title): .object(["title": .text(title)])
        case .visibility(let visibility): .object(["visibility": .text(visibility.rawValue)])
        case .history(let history): .object(["history": .text(history.rawValue)])
        case .room(let options): .object(["room": options.tree])
        case .link(let id): .object(["link_id": .text(id.text)])
        case .name(let name): .object(["name": .text(name)])
        case .message(let id): .object(["message_id": .text(id.text)])
        }
    }

    /// Returns `nil` for any other value.
    package init?(_ tree: JSONTree) {
        if let role = tree["role"]?.text.flatMap({ Membership.Role(rawValue: $0) }) {
            self = .role(role)
        } else if let until = tree["until_ms"] {
            self = .end(until.integer)
        } else if let title = tree["title"]?.text {
            self = .title(title)
        } else if let visibility = tree["visibility"]?.text.flatMap({ RoomVisibility(rawValue: $0) }) {
            self = .visibility(visibility)
        } else if let history = tree["history"]?.text.flatMap({ RoomHistory(rawValue: $0) }) {
            self = .history(history)
        } else if let options = tree["room"] {
            self = .room(RoomOptions(options))
        } else if let id = tree["link_id"]?.text {
            self = .link(LinkID(trusted: id))
        } else if let name = tree["name"]?.text {
            self = .name(name)
        } else if let id = tree["message_id"]?.text {
            self = .message(MessageID(trusted: id))
        } else {
            return nil
        }
    }
}

/// The form of a row in the stores.
extension AuditNote {
    /// `before` and `after` as JSON.
    package var storedStates: (before: String?, after: String?) {
        (before?.tree.canonical, after?.tree.canonical)
    }

    /// - Parameters:
    ///   - actorKind: The kind by `AuditActor.stored`.
    ///   - actorID: The id or name by `AuditActor.stored`.
    /// - Throws: `StoreError.failed` for an actor, an action or a state that is unknown to this version.
    package init(
        storedAction action: String, actorKind: String, actorID: String?, thread: String?, user: String?,
        reason: String?, before: String?, after: String?
    ) throws(StoreError) {
        guard let action = AuditAction(rawValue: action) else {
            throw .failed("a row of the audit log has the unknown action \(action)")
        }
        self.init(
            action, by: try AuditActor(stored: actorKind, actorID), in: thread.map { ThreadID(trusted: $0) },
            of: user.map { UserID(trusted: $0) }, reason: reason, before: try Self.state(before),
            after: try Self.state(after))
    }

    private static func state(_ text: String?) throws(StoreError) -> AuditState? {
        guard let text else { return nil }
        guard let tree = try? JSONTree(parsing: Array(text.utf8)), let state = AuditState(tree) else {
            throw .failed("a row of the audit log has an unknown state")
        }
        return state
    }
}

extension AuditActor {
    /// The kind and the id or name in the stores. The kind is on the wire, too.
    package var stored: (kind: String, id: String?) {
        switch self {
        case .user(let id): ("user", id.text)
        case .operator(let id): ("operator", id.text)
        case .key(let name): ("key", name)
        case .command: ("command", nil)
        }
    }

    /// - Throws: `StoreError.failed` for a kind that is unknown to this version.
    package init(stored kind: String, _ id: String?) throws(StoreError) {
        switch (kind, id) {
        case ("user", .some(let id)): self = .user(UserID(trusted: id))
        case ("operator", .some(let id)): self = .operator(UserID(trusted: id))
        case ("key", .some(let name)): self = .key(name)
        case ("command", nil): self = .command
        default: throw .failed("a row of the audit log has the unknown actor \(kind)")
        }
    }
}

/// A stored row of the audit log.
package struct AuditEntry: Hashable, Sendable {
    /// Rises with each row; rows of concurrent transactions may become visible in another order.
    package var id: Int64
    /// Unix milliseconds.
    package var milliseconds: Int64
    package var note: AuditNote

    package init(id: Int64, milliseconds: Int64, note: AuditNote) {
        self.id = id
        self.milliseconds = milliseconds
        self.note = note
    }

    /// The members of the row's object on the wire, in their order. Members that do not apply are missing.
    package var members: [(String, JSONTree)] {
        let stored = note.actor.stored
        var actor: [(String, JSONTree)] = [("kind", .text(stored.kind))]
        if let id = stored.id { actor.append((note.actor.user == nil ? "name" : "id", .text(id))) }
        var members: [(String, JSONTree)] = [
            ("id", .text(String(id))), ("at_ms", .integer(milliseconds)), ("action", .text(note.action.rawValue)),
            ("actor", .ordered(actor)),
        ]
        if let thread = note.thread { members.append(("thread_id", .text(thread.text))) }
        if let user = note.user { members.append(("user_id", .text(user.text))) }
        if let reason = note.reason { members.append(("reason", .text(reason))) }
        if let before = note.before { members.append(("before", before.tree)) }
        if let after = note.after { members.append(("after", after.tree)) }
        return members
    }
}

/// The rows that a reader of the audit log asks for. All conditions that are given apply.
package struct AuditFilter: Hashable, Sendable {
    package var thread: ThreadID?
    /// The user concerned.
    package var user: UserID?
    /// The user who acted.
    package var actor: UserID?
    package var action: AuditAction?
    /// Unix milliseconds, inclusive.
    package var from: Int64?
    /// Unix milliseconds, exclusive.
    package var to: Int64?

    package init(
        thread: ThreadID? = nil, user: UserID? = nil, actor: UserID? = nil, action: AuditAction? = nil,
        from: Int64? = nil, to: Int64? = nil
    ) {
        self.thread = thread
        self.user = user
        self.actor = actor
        self.action = action
        self.from = from
        self.to = to
    }
}
