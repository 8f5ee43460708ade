/// Batched reads from the database of a Django site. Parley never writes to it.
///
/// A key without an entry in the result is unknown.
package protocol DjangoDirectory: Sendable {
    /// Returns the `session_data` of these `session_key`s in `django_session`, except sessions that have expired by the database's clock.
    func sessions(_ keys: [String]) async throws(StoreError) -> [String: String]

    /// Returns users by primary key, in the form that Django writes into a session: `str(user.pk)`.
    func users(_ keys: [String]) async throws(StoreError) -> [String: DjangoUser]

    /// Checks that both tables exist and are readable.
    /// - Throws: `unavailable` if the database cannot be reached, `failed` if a table or a column is missing.
    func check() async throws(StoreError)

    func close() async
}

/// A row of the site's user model.
package struct DjangoUser: Hashable, Sendable {
    package var username: String
    /// The complete encoded password. A change of it ends the user's sessions.
    package var password: String
    package var isActive: Bool

    package init(username: String, password: String, isActive: Bool) {
        self.username = username
        self.password = password
        self.isActive = isActive
    }
}

/// The table and name column of a site's user model.
package struct DjangoUserModel: Hashable, Sendable {
    /// The model's `db_table`, qualified by its schema if that is not on the search path.
    package let table: String
    /// The model's `USERNAME_FIELD`.
    package let usernameColumn: String

    /// Django's own user model, `django.contrib.auth.models.User`.
    package static let standard = DjangoUserModel(trustedTable: "auth_user", usernameColumn: "username")

    /// Returns `nil` unless both are identifiers of `A-Z a-z 0-9 _`, since they become part of SQL. A table may contain one dot
    /// between two identifiers.
    package init?(table: String, usernameColumn: String) {
        let parts = table.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy(Self.isIdentifier), Self.isIdentifier(usernameColumn[...]) else {
            return nil
        }
        self.init(trustedTable: table, usernameColumn: usernameColumn)
    }

    private init(trustedTable table: String, usernameColumn: String) {
        self.table = table
        self.usernameColumn = usernameColumn
    }

    /// The table, quoted for SQL.
    package var quotedTable: String {
        table.split(separator: ".").map { "\"\($0)\"" }.joined(separator: ".")
    }

    private static func isIdentifier(_ text: Substring) -> Bool {
        (1...63).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
