import Foundation
import ParleyTestSupport

/// The example's site, with a database of its own; see Tests/Django/site.py.
struct DjangoSite {
    private let environment: [String: String]
    private let directory: TemporaryDirectory
    /// By name of the user, the token that the site gives to a browser.
    let tokens: [String: String]

    /// Makes the site, which tells Parley of its users and its room.
    /// - Parameter environment: the `PARLEY_…` variables that the settings of the example read.
    static func start(environment: [String: String]) async throws -> DjangoSite {
        let directory = try TemporaryDirectory()
        var environment = ParleyBinary.environment(environment)
        environment["DJANGO_DATABASE"] = directory.path + "/db.sqlite3"
        let text = try await run(["start"], environment, in: directory)
        let tokens = try JSONValue(parsing: text).object ?? [:]
        return DjangoSite(
            environment: environment, directory: directory, tokens: tokens.compactMapValues { $0.string })
    }

    /// Lets a user into the room.
    func add(_ name: String) async throws {
        _ = try await Self.run(["add", name], environment, in: directory)
    }

    private static func run(
        _ arguments: [String], _ environment: [String: String], in directory: TemporaryDirectory
    ) async throws -> String {
        let output = directory.path + "/output-\(arguments.joined())"
        let process = try await ChildProcess.start(
            try await DjangoPython.path(), [DjangoPython.root + "/Tests/Django/site.py"] + arguments,
            environment: environment, in: directory.path, output: output)
        let end = try await process.exit(within: .seconds(30))
        let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        guard end == .exited(0) else { throw DjangoPeer.Unexpected(description: "the site ended: \(end)\n\(text)") }
        return text
    }
}
