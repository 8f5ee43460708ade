import ParleyModel
import ParleyStorage

/// The limits of a member in a thread, besides their role.
struct MemberLimits {
    let mute: Sanction?
    let start: HistoryStart?
    let options: RoomOptions
    let isBlocked: Bool
}

extension Membership {
    init(thread: ThreadInfo, role: Role, peer: User? = nil, _ limits: MemberLimits) {
        self.init(
            thread: thread, role: role, peer: peer, mute: limits.mute, start: limits.start, options: limits.options,
            isBlocked: limits.isBlocked)
    }
}

/// Decodes values that many statements return in adjacent columns.
extension Row {
    /// Decodes a user from the columns id and name.
    func user(_ column: Int) throws(PostgresError) -> User {
        User(id: UserID(trusted: try text(column)), name: try text(column + 1))
    }

    /// Decodes a user, or returns `nil` if the id is NULL.
    func optionalUser(_ column: Int) throws(PostgresError) -> User? {
        guard try optionalText(column) != nil else { return nil }
        return try user(column)
    }

    func thread(_ column: Int) throws(PostgresError) -> ThreadID { ThreadID(trusted: try text(column)) }

    /// Decodes a thread from the columns id, kind, title and visibility.
    func threadInfo(_ column: Int) throws -> ThreadInfo {
        ThreadInfo(
            id: try thread(column), kind: try ThreadInfo.Kind(stored: text(column + 1)), title: try text(column + 2),
            visibility: try RoomVisibility(stored: text(column + 3)))
    }

    func role(_ column: Int) throws -> Membership.Role { try Membership.Role(stored: text(column)) }

    func optionalRole(_ column: Int) throws -> Membership.Role? {
        try optionalText(column).map { text throws(StoreError) in try Membership.Role(stored: text) }
    }

    /// Decodes a sanction from the columns kind, end and reason, or returns `nil` if the kind is NULL.
    func optionalSanction(_ column: Int) throws -> Sanction? {
        guard let kind = try optionalText(column) else { return nil }
        return Sanction(
            try Sanction.Kind(stored: kind), until: try optionalInt(column + 1), reason: try optionalText(column + 2))
    }

    /// Decodes the start of the log for a member, or returns `nil` if they see all of it.
    func historyStart(_ column: Int) throws -> HistoryStart? {
        try optionalInt(column).flatMap { HistoryStart(stored: $0) }
    }

    /// Decodes the columns of `SanctionQueries.memberColumns`.
    func limits(_ column: Int) throws -> MemberLimits {
        MemberLimits(
            mute: try optionalSanction(column), start: try historyStart(column + 3), options: try options(column + 4),
            isBlocked: try bool(column + 5))
    }

    /// Decodes the options of a room; `NULL` stands for the standard ones.
    func options(_ column: Int) throws -> RoomOptions {
        try optionalText(column).map { text throws(StoreError) in try RoomOptions(stored: text) } ?? .standard
    }

    /// Decodes a suspension from the columns of `SuspensionQueries.columns`, or returns `nil` if the beginning is NULL.
    func optionalSuspension(_ column: Int) throws(PostgresError) -> Suspension? {
        guard try optionalInt(column) != nil else { return nil }
        return Suspension(until: try optionalInt(column + 1), reason: try optionalText(column + 2))
    }

    /// Decodes the columns of `SanctionQueries.columns`.
    func sanctions(_ column: Int) throws -> Sanctions {
        Sanctions(mute: try optionalSanction(column), ban: try optionalSanction(column + 3))
    }

    func eventKind(_ column: Int) throws -> LogEvent.Kind { try LogEvent.Kind(stored: text(column)) }

    /// Decodes restrictions from the columns "is removed" and "is read only".
    func restrictions(_ column: Int) throws(PostgresError) -> Restrictions {
        Restrictions(isRemoved: try bool(column), isReadOnly: try bool(column + 1))
    }
}
