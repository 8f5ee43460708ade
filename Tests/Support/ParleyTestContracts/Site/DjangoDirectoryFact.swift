package import ParleyModel
import Testing

/// A database for the contract tests of `DjangoDirectory`.
package protocol DjangoDatabase: Sendable {
    /// Django's representation of a UUID in this database: the column's type, and the value as SQL.
    static func uuid(_ text: String) -> (type: String, value: String)

    /// Creates a new, empty database.
    static func make() async throws -> Self

    /// Runs one statement, as Django would.
    func run(_ sql: String) async throws

    func open(_ model: DjangoUserModel) async throws -> any DjangoDirectory

    /// Closes what was opened and deletes the database.
    func remove() async throws
}

/// The contract of `DjangoDirectory`.
package enum DjangoDirectoryFact: String, CaseIterable, Sendable {
    case sessionsAreFoundUntilTheyExpire
    case keysOfSessionsAreExact
    case usersAreFoundByKey
    case invalidKeysDoNotAffectOthers
    case changesAreSeenAtOnce
    case aCustomUserModelIsSupported
    case aModelWithoutActivityHasActiveUsers
    case usersWithoutNameOrPasswordAreIgnored
    case missingTablesAreNamed

    package func check<Site: DjangoDatabase>(on _: Site.Type) async throws {
        let site = try await Site.make()
        do {
            try await check(site)
        } catch {
            try? await site.remove()
            throw error
        }
        try await site.remove()
    }

    private func check<Site: DjangoDatabase>(_ site: Site) async throws {
        let directory: any DjangoDirectory
        switch self {
        case .aCustomUserModelIsSupported, .aModelWithoutActivityHasActiveUsers, .usersWithoutNameOrPasswordAreIgnored,
            .missingTablesAreNamed:
            directory = try await site.open(Self.people)
        default:
            try await site.run(Self.users)
            directory = try await site.open(.standard)
        }
        if self != .missingTablesAreNamed { try await site.run(Self.sessions) }
        switch self {
        case .sessionsAreFoundUntilTheyExpire:
            try await directory.check()
            try await site.run(Self.session("live0000", "one", until: "2099-01-01 00:00:00"))
            try await site.run(Self.session("over0000", "two", until: "2020-01-01 00:00:00"))
            try #require(try await directory.sessions(["live0000", "over0000", "none0000"]) == ["live0000": "one"])
            try #require(try await directory.sessions([]) == [:])
        case .keysOfSessionsAreExact:
            try await site.run(Self.session("abcdefgh", "one", until: "2099-01-01 00:00:00"))
            let others = ["ABCDEFGH", "abcdefgh ", "abcdefgh\0", "abcdefg_", "%", ""]
            try #require(try await directory.sessions(others) == [:])
        case .usersAreFoundByKey:
            for id in 1...3 { try await site.run(Self.user(id, "user\(id)", isActive: id != 2)) }
            try #require(
                try await directory.users(["1", "2", "7"]) == [
                    "1": DjangoUser(username: "user1", password: "secret1", isActive: true),
                    "2": DjangoUser(username: "user2", password: "secret2", isActive: false),
                ])
        case .invalidKeysDoNotAffectOthers:
            try await site.run(Self.user(1, "user1", isActive: true))
            let keys = ["x", "", "01", "1.0", "+1", " 1", "1e0", "99999999999999999999", "a\0b", "{", "\"", "1"]
            try #require(Set(try await directory.users(keys).keys) == ["1"])
        case .changesAreSeenAtOnce:
            try await site.run(Self.user(1, "user1", isActive: true))
            try #require(try await directory.users(["1"])["1"]?.isActive == true)
            try await site.run("UPDATE auth_user SET is_active = FALSE, password = 'other' WHERE id = 1")
            try #require(
                try await directory.users(["1"])["1"]
                    == DjangoUser(username: "user1", password: "other", isActive: false))
        case .aCustomUserModelIsSupported:
            let key = "550e8400-e29b-41d4-a716-446655440000"
            let (type, value) = Site.uuid(key)
            try await site.run(
                "CREATE TABLE people (number \(type) PRIMARY KEY, email varchar(254), password varchar(128), is_active boolean)"
            )
            try await site.run("INSERT INTO people VALUES (\(value), 'ann@example.org', 'secret', TRUE)")
            try await directory.check()
            let ann = DjangoUser(username: "ann@example.org", password: "secret", isActive: true)
            try #require(try await directory.users([key, "1", key.uppercased(), "x-y"]) == [key: ann])
        case .aModelWithoutActivityHasActiveUsers:
            try await site.run(
                "CREATE TABLE people (name varchar(40) PRIMARY KEY, email varchar(254), password varchar(128))")
            try await site.run("INSERT INTO people VALUES ('o''neill', 'ann', 'secret')")
            let ann = DjangoUser(username: "ann", password: "secret", isActive: true)
            try #require(try await directory.users(["o'neill", "nobody"]) == ["o'neill": ann])
        case .usersWithoutNameOrPasswordAreIgnored:
            try await site.run(
                "CREATE TABLE people (id integer PRIMARY KEY, email integer, password varchar(128), is_active boolean)")
            for row in ["1, 101, 'a', TRUE", "2, NULL, 'b', TRUE", "3, 103, NULL, TRUE", "4, 104, 'd', NULL"] {
                try await site.run("INSERT INTO people VALUES (\(row))")
            }
            try #require(
                try await directory.users(["1", "2", "3", "4"]) == [
                    "1": DjangoUser(username: "101", password: "a", isActive: true),
                    "4": DjangoUser(username: "104", password: "d", isActive: false),
                ])
        case .missingTablesAreNamed:
            await expectFailure(naming: "people") { try await directory.check() }
            try await site.run("CREATE TABLE people (id integer PRIMARY KEY, email text, password text)")
            await expectFailure(naming: "django_session") { try await directory.check() }
            try await site.run(Self.sessions)
            try await directory.check()
        }
    }

    private func expectFailure(naming name: String, _ body: () async throws -> Void) async {
        let error = await #expect(throws: StoreError.self) { try await body() }
        let isNamed = if case .failed(let reason) = error { reason.contains(name) } else { false }
        #expect(isNamed, "\(name) is missing: \(String(describing: error))")
    }

    private static let people = DjangoUserModel(table: "people", usernameColumn: "email") ?? .standard

    private static let users = """
        CREATE TABLE auth_user (id integer PRIMARY KEY, password varchar(128) NOT NULL,
            username varchar(150) NOT NULL UNIQUE, is_active boolean NOT NULL)
        """

    private static let sessions = """
        CREATE TABLE django_session (session_key varchar(40) PRIMARY KEY, session_data text NOT NULL,
            expire_date timestamp with time zone NOT NULL)
        """

    private static func session(_ key: String, _ data: String, until end: String) -> String {
        "INSERT INTO django_session VALUES ('\(key)', '\(data)', '\(end)')"
    }

    private static func user(_ id: Int, _ name: String, isActive: Bool) -> String {
        "INSERT INTO auth_user VALUES (\(id), 'secret\(id)', '\(name)', \(isActive ? "TRUE" : "FALSE"))"
    }
}
