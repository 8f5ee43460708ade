import GRDB
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
    /// Decodes a user from the columns id and name, or returns `nil` if the id is NULL.
    func optionalUser(_ column: Int) -> User? {
        let id: String? = self[column]
        return id.map { User(id: UserID(trusted: $0), name: self[column + 1]) }
    }

    /// Decodes a thread from the columns id, kind, title and visibility.
    func threadInfo(_ column: Int) throws -> ThreadInfo {
        ThreadInfo(
            id: ThreadID(trusted: self[column]), kind: try ThreadInfo.Kind(stored: self[column + 1]),
            title: self[column + 2], visibility: try RoomVisibility(stored: self[column + 3]))
    }

    /// Decodes an account from the columns id and name, and the columns of a suspension.
    func account(_ column: Int) -> Account {
        Account(
            User(id: UserID(trusted: self[column]), name: self[column + 1]),
            suspension: optionalSuspension(column + 2))
    }

    /// Decodes a suspension from the columns of `SuspensionQueries.columns`, or returns `nil` if the beginning is NULL.
    func optionalSuspension(_ column: Int) -> Suspension? {
        let since: Int64? = self[column]
        return since.map { _ in Suspension(until: self[column + 1], reason: self[column + 2]) }
    }

    func role(_ column: Int) throws -> Membership.Role { try Membership.Role(stored: self[column]) }

    /// Decodes a sanction from the columns kind, end and reason, or returns `nil` if the kind is NULL.
    func optionalSanction(_ column: Int) throws -> Sanction? {
        let kind: String? = self[column]
        return try kind.map { kind in
            Sanction(try Sanction.Kind(stored: kind), until: self[column + 1], reason: self[column + 2])
        }
    }

    /// Decodes the start of the log for a member, or returns `nil` if they see all of it.
    func historyStart(_ column: Int) -> HistoryStart? {
        let value: Int64? = self[column]
        return value.flatMap { HistoryStart(stored: $0) }
    }

    /// Decodes the columns of `SanctionQueries.memberColumns`.
    func limits(_ column: Int) throws -> MemberLimits {
        MemberLimits(
            mute: try optionalSanction(column), start: historyStart(column + 3), options: try options(column + 4),
            isBlocked: self[column + 5])
    }

    /// Decodes the options of a room; `NULL` stands for the standard ones.
    func options(_ column: Int) throws -> RoomOptions {
        let text: String? = self[column]
        return try text.map { text throws(StoreError) in try RoomOptions(stored: text) } ?? .standard
    }

    /// Decodes details from the columns options, description and rules.
    func details(_ column: Int) throws -> RoomDetails {
        RoomDetails(options: try options(column), description: self[column + 1], rules: self[column + 2])
    }

    func optionalRole(_ column: Int) throws -> Membership.Role? {
        let text: String? = self[column]
        return try text.map { text throws(StoreError) in try Membership.Role(stored: text) }
    }
}
