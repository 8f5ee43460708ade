/// A decision of an operator that keeps a user from everything on this site, for a time or until an operator ends it.
///
/// It ends by itself: each check compares its end with the database's time, and nothing has to run at that moment.
package struct Suspension: Hashable, Sendable {
    /// The end in Unix milliseconds by the database's clock; `nil` for a suspension that an operator must end.
    package let until: Int64?
    /// The reason that the operator gave, at most `Sanction.reasonScalars`; the user may read it.
    package let reason: String?

    package init(until: Int64? = nil, reason: String? = nil) {
        self.until = until
        self.reason = reason
    }

    /// Whether the suspension has not ended.
    /// - Parameter now: Unix milliseconds by the database's clock.
    package func isInForce(at now: Int64) -> Bool { until.map { now < $0 } ?? true }

    /// The text for the user, with the time and the reason.
    package var explanation: String {
        var text = "this account is suspended"
        if let until { text += " until \(CivilTime.rfc3339(milliseconds: until))" }
        if let reason { text += ": \(reason)" }
        return text
    }
}

/// A suspension in the list for operators.
package struct SuspensionRecord: Hashable, Sendable {
    package var user: User
    package var suspension: Suspension
    /// The operator who decided; `nil` for an operator without an account.
    package var author: UserID?
    /// When it was made, in Unix milliseconds by the database's clock.
    package var since: Int64

    package init(user: User, suspension: Suspension, author: UserID?, since: Int64) {
        self.user = user
        self.suspension = suspension
        self.author = author
        self.since = since
    }
}

/// A user with the facts that decide whether their credentials are accepted.
package struct Account: Hashable, Sendable {
    package var user: User
    /// The user's suspension, which may have ended.
    package var suspension: Suspension?

    package init(_ user: User, suspension: Suspension? = nil) {
        self.user = user
        self.suspension = suspension
    }
}
