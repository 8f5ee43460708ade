/// Why a statement or a connection failed.
package struct PostgresError: Error, Hashable, Sendable {
    /// The SQLSTATE (PostgreSQL manual, appendix A); `nil` if the error is not from the server.
    package var state: String?
    /// One line, without any parameter or column value.
    package var message: String

    package init(state: String? = nil, message: String) {
        self.state = state
        self.message = message
    }

    /// A message of libpq as one line; `nil` if it is empty.
    static func line(_ text: UnsafePointer<CChar>?) -> String? {
        let text = text.map { String(cString: $0) } ?? ""
        let lines = text.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
        return lines.isEmpty ? nil : lines.joined(separator: " ")
    }

    /// The connection was lost or timed out before the reply.
    static func lost(_ message: String) -> PostgresError {
        PostgresError(state: "08006", message: message)
    }

    /// A value violates a unique constraint.
    package var isUniqueViolation: Bool { state == "23505" }

    /// The transaction conflicted with another one (serialisation failure or deadlock); a retry may succeed at once.
    var isCollision: Bool { state?.hasPrefix("40") == true }

    /// The database is temporarily unavailable: unreachable, busy, starting, stopping, full or a standby.
    var isPassing: Bool {
        guard let state else { return false }
        switch state.prefix(2) {
        // Connection, transaction rollback, insufficient resources, operator intervention, system error.
        case "08", "40", "53", "57", "58": return true
        default:
            // A lock that was not available in time; a read-only transaction, as on a standby.
            return state == "55P03" || state == "25006"
        }
    }
}
