package import ParleyModel

/// Statements on the tables of a Django site, generated for its user model.
package struct DjangoQueries: Sendable {
    /// A column of the user model's table.
    package struct Column: Sendable {
        let name: String
        /// The PostgreSQL type name.
        let type: String
        let isKey: Bool

        package init(name: String, type: String, isKey: Bool) {
            self.name = name
            self.type = type
            self.isKey = isKey
        }
    }

    package static let sessions = Query(
        """
        SELECT session_key, session_data FROM django_session
        WHERE session_key = ANY ($1) AND expire_date > now()
        """
    ) { row in (key: try row.text(0), data: try row.text(1)) }

    static let columns = Query(
        """
        SELECT attname::text, atttypid::regtype::text, coalesce(attnum = ANY (indkey), false)
        FROM pg_attribute LEFT JOIN pg_index ON indrelid = attrelid AND indisprimary
        WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped
        """, isKept: false
    ) { row in Column(name: try row.text(0), type: try row.text(1), isKey: try row.bool(2)) }

    package let users: Query<(key: String, user: DjangoUser)>
    private let keyType: String

    /// Returns `nil` unless exactly one column is the primary key.
    package init?(_ model: DjangoUserModel, columns: [Column]) {
        let keys = columns.filter(\.isKey)
        guard keys.count == 1 else { return nil }
        let key = "\"\(keys[0].name.replacing("\"", with: "\"\""))\""
        // Compares keys in their own type, so that the server can use the index.
        keyType =
            switch keys[0].type {
            case "smallint", "integer", "bigint": "bigint"
            case "uuid": "uuid"
            default: "text"
            }
        // As in Django, users are active if the model lacks the column.
        let isActive = columns.contains { $0.name == "is_active" } ? "coalesce(is_active, false)" : "true"
        users = Query(
            """
            SELECT \(key)::text, "\(model.usernameColumn)"::text, password::text, \(isActive)
            FROM \(model.quotedTable)
            WHERE \(key) = ANY ($1::text[]::\(keyType)[]) AND "\(model.usernameColumn)" IS NOT NULL AND password IS NOT NULL
            """
        ) { row in
            let user = DjangoUser(username: try row.text(1), password: try row.text(2), isActive: try row.bool(3))
            return (key: try row.text(0), user: user)
        }
    }

    /// Whether a text can be cast to the type of the key, and is the canonical text of that key.
    func canBeKey(_ text: String) -> Bool {
        switch keyType {
        case "bigint":
            return Int64(text).map { String($0) == text } ?? false
        case "uuid":
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            let isHex = parts.joined().utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
            return isHex && parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
        default:
            return !text.utf8.contains(0)
        }
    }
}
