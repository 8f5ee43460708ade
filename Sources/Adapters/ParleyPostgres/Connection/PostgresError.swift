/// An error of a statement or a connection.
package struct PostgresError: Error, Hashable, Sendable {
    /// The SQLSTATE (PostgreSQL manual, appendix A); `nil` if the error does not come from the server.
    package var state: String?
    /// The message as one line, without values of parameters or columns.
    package var message: String

    package init(state: String? = nil, message: String) {
        self.state = state
        self.message = message
    }

    /// Converts a message of libpq to one line; returns `nil` if it is empty.
    static func line(_ text: UnsafePointer<CChar>?) -> String? {
        let text = text.map { String(cString: $0) } ?? ""
        let lines = text.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
        return lines.isEmpty ? nil : lines.joined(separator: " ")
    }

    /// Creates the error for a connection that was lost or timed out before the reply.
    static func lost(_ message: String) -> PostgresError {
        PostgresError(state: "08006", message: message)
    }

    /// Whether a value violates a unique constraint.
    package var isUniqueViolation: Bool { state == "23505" }

    /// Whether the transaction conflicted with another one (serialisation failure or deadlock). An immediate retry may
    /// succeed.
    var isCollision: Bool { state?.hasPrefix("40") == true }

    /// Whether the database is temporarily unavailable: unreachable, busy, starting, stopping, full, or a standby.
    var isPassing: Bool {
        guard let state else { return false }
        switch state.prefix(2) {
        // Connection exception, transaction rollback, insufficient resources, operator intervention, system error.
        case "08", "40", "53", "57", "58": return true
        default:
            // A lock that did not become available in time, or a read-only transaction, as on a standby.
            return state == "55P03" || state == "25006"
        }
    }
}
