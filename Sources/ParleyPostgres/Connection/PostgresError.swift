/// Why a statement or a connection failed.
package struct PostgresError: Error, Hashable, Sendable {
    /// SQLSTATE (PostgreSQL manual, appendix A); `nil` if it is not the server that says it.
    package var state: String?
    /// One line, without any value that was written or searched.
    package var message: String

    package init(state: String? = nil, message: String) {
        self.state = state
        self.message = message
    }

    /// What libpq says, as one line; `nil` if it says nothing.
    static func line(_ text: UnsafePointer<CChar>?) -> String? {
        let text = text.map { String(cString: $0) } ?? ""
        let lines = text.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
        return lines.isEmpty ? nil : lines.joined(separator: " ")
    }

    /// The statement had no answer because the connection is gone or does not answer.
    static func lost(_ message: String) -> PostgresError {
        PostgresError(state: "08006", message: message)
    }

    /// A value that must be unique is there already.
    package var isUniqueViolation: Bool { state == "23505" }

    /// Two transactions were in each other's way; the same one may succeed at once.
    var isCollision: Bool { state?.hasPrefix("40") == true }

    /// The database is away, too busy, starting, stopping, full or a standby, rather than wrong.
    var isPassing: Bool {
        guard let state else { return false }
        switch state.prefix(2) {
        // Connection, transaction collisions, resources, operator (shutdown, cancelled), system (disk).
        case "08", "40", "53", "57", "58": return true
        default:
            // A lock that was not to be had in time; a read-only transaction, as on a standby.
            return state == "55P03" || state == "25006"
        }
    }
}
