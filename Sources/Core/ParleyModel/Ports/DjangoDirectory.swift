/// Batched reads from the database of a Django site. Parley writes nothing there.
///
/// A key without an entry in the result is unknown.
package protocol DjangoDirectory: Sendable {
    /// The `session_data` of these `session_key`s in `django_session`, without those expired by the database's clock.
    func sessions(_ keys: [String]) async throws(StoreError) -> [String: String]

    /// Users by primary key as Django writes it into a session: `str(user.pk)`.
    func users(_ keys: [String]) async throws(StoreError) -> [String: DjangoUser]

    /// Checks that both tables exist and are readable.
    /// - Throws: `unavailable` if the database cannot be reached, `failed` if a table or a column is missing.
    func check() async throws(StoreError)

    func close() async
}

/// A row of the site's user model.
package struct DjangoUser: Hashable, Sendable {
    package var username: String
    /// The complete encoded password: a session ends when it changes.
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
    /// The model's `db_table`, qualified by a schema if that is not on the search path.
    package let table: String
    /// The model's `USERNAME_FIELD`.
    package let usernameColumn: String

    /// Django's own user model, `django.contrib.auth.models.User`.
    package static let standard = DjangoUserModel(trustedTable: "auth_user", usernameColumn: "username")

    /// `nil` unless both are identifiers of `A-Z a-z 0-9 _` (a table may have one dot between two), since they become
    /// part of SQL.
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
