/// A decision of a moderator about a user in a room that has an end, or lasts until a moderator ends it.
///
/// A sanction belongs to the room and the user, whether or not the user is a member, so leaving and joining does not end it.
/// It ends by itself: the rules compare its end with the database's time, and nothing has to run at that moment.
package struct Sanction: Hashable, Sendable {
    /// The name of a sanction in the stores and on the wire.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        /// The user may read, but not write.
        case mute
        /// The user is removed, and may neither join nor be added.
        case ban
    }

    /// The longest time that a sanction with an end lasts: ten years, in seconds.
    package static let longestSeconds: Int64 = 315_360_000
    /// The maximum length of a reason, in Unicode scalars.
    package static let reasonScalars = 500

    package let kind: Kind
    /// The end in Unix milliseconds by the database's clock; `nil` for a sanction that a moderator must end.
    package let until: Int64?
    /// The reason that the moderator gave; the user may read it.
    package let reason: String?

    package init(_ kind: Kind, until: Int64? = nil, reason: String? = nil) {
        self.kind = kind
        self.until = until
        self.reason = reason
    }

    /// Whether the sanction has not ended.
    /// - Parameter now: Unix milliseconds by the database's clock.
    package func isInForce(at now: Int64) -> Bool { until.map { now < $0 } ?? true }
}

/// The sanctions of a user in a room. One that has ended may still be there.
package struct Sanctions: Hashable, Sendable {
    package static let none = Sanctions()

    package var mute: Sanction?
    package var ban: Sanction?

    package init(mute: Sanction? = nil, ban: Sanction? = nil) {
        self.mute = mute
        self.ban = ban
    }

    package subscript(kind: Sanction.Kind) -> Sanction? {
        get {
            switch kind {
            case .mute: mute
            case .ban: ban
            }
        }
        set {
            switch kind {
            case .mute: mute = newValue
            case .ban: ban = newValue
            }
        }
    }
}

/// A sanction in the list for moderators.
package struct SanctionRecord: Hashable, Sendable {
    package var user: User
    package var sanction: Sanction
    /// The member or operator who decided; `nil` for an operator without an account.
    package var author: UserID?
    /// When it was made, in Unix milliseconds by the database's clock.
    package var since: Int64

    package init(user: User, sanction: Sanction, author: UserID?, since: Int64) {
        self.user = user
        self.sanction = sanction
        self.author = author
        self.since = since
    }
}

/// A position in the list of a room's sanctions, which is in the byte order of the users' ids, then of the kinds.
package struct SanctionPlace: Hashable, Sendable {
    package var user: UserID
    package var kind: Sanction.Kind

    package init(user: UserID, kind: Sanction.Kind) {
        self.user = user
        self.kind = kind
    }

    package init(_ record: SanctionRecord) {
        self.init(user: record.user.id, kind: record.sanction.kind)
    }
}
