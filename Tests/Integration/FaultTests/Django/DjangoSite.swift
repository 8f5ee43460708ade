import Foundation
import ParleyTestServers
import ParleyTestSupport

/// The example's site, with a database of its own; see Tests/Django/site.py.
struct DjangoSite {
    private let environment: [String: String]
    private let directory: TemporaryDirectory

    /// The SQLite file with the site's users and sessions.
    var database: String { directory.path + "/db.sqlite3" }

    /// Makes the site.
    /// - Parameter environment: the `PARLEY_…` variables that the settings of the example read.
    static func make(environment: [String: String] = [:]) async throws -> DjangoSite {
        let directory = try TemporaryDirectory()
        var environment = ParleyBinary.environment(environment)
        environment["DJANGO_DATABASE"] = directory.path + "/db.sqlite3"
        let site = DjangoSite(environment: environment, directory: directory)
        try await site.run("make")
        return site
    }

    /// Imports the users and the room into Parley.
    /// - Returns: by name of the user, the token that the site gives to a browser.
    func tell() async throws -> [String: String] {
        try JSONValue(parsing: try await run("tell")).object?.compactMapValues(\.string) ?? [:]
    }

    /// Lets a user into the room.
    func add(_ name: String) async throws {
        try await run("add", name)
    }

    /// Logs a user in as a browser does.
    /// - Returns: the session cookie.
    func logIn(_ name: String) async throws -> String {
        let cookie = try JSONValue(parsing: try await run("login", name))["cookie"]?.string
        guard let cookie else { throw DjangoPeer.Unexpected(description: "no session of \(name)") }
        return cookie
    }

    /// Does what ends sessions: `logout` with a cookie, `password` or `disable` with a name.
    @discardableResult
    func run(_ arguments: String...) async throws -> String {
        let output = directory.path + "/output-\(UUID())"
        let process = try await ChildProcess.start(
            try await DjangoPython.path(), [Repository.path + "/Tests/Django/site.py"] + arguments,
            environment: environment, in: directory.path, output: output)
        let end = try await process.exit(within: .seconds(30))
        let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        guard end == .exited(0) else { throw DjangoPeer.Unexpected(description: "the site ended: \(end)\n\(text)") }
        return text
    }
}
