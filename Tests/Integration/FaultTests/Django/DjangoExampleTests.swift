import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

/// The steps of examples/django/README.md, with the example's own script for secrets, roles and databases.
@Suite("The example of Django", .timeLimit(.minutes(3)))
struct DjangoExampleTests {
    /// What the steps run in: a PostgreSQL and a Redis of their own, and a directory for what they write.
    private struct Place {
        let postgres: PostgresServer
        let redis: RedisServer
        let directory: TemporaryDirectory
        let example = Repository.path + "/examples/django"

        var environmentFile: String { directory.path + "/parley.env" }

        /// Runs a program in the example's folder.
        /// - Returns: what it wrote.
        func run(_ program: String, _ arguments: [String], _ environment: [String: String]) async throws -> String {
            let output = directory.path + "/output-\(UUID())"
            let child = try await ChildProcess.start(
                program, arguments, environment: ParleyBinary.environment(environment), in: example, output: output)
            let end = try await child.exit(within: .seconds(60))
            let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
            #expect(end == .exited(0), "\(program) \(arguments): \(text)")
            return text
        }

        /// Runs the script as a superuser of another name: the fixture's own has that of a role of the example.
        func setUp() async throws -> String {
            try await postgres.psql("CREATE ROLE root SUPERUSER LOGIN PASSWORD 'root'")
            let url = "postgres://root:root@127.0.0.1:\(postgres.port)/postgres"
            _ = try await run("psql", [url, "-c", "ALTER ROLE parley RENAME TO fixture"], [:])
            return try await run(
                example + "/setup", [],
                [
                    "PSQL": "psql \(url)", "POSTGRES": "127.0.0.1:\(postgres.port)",
                    "REDIS": redis.url, "ENV_FILE": environmentFile,
                ])
        }

        /// The variables that the script has written.
        func variables() throws -> [String: String] {
            let lines = try String(contentsOfFile: environmentFile, encoding: .utf8).split(separator: "\n")
            return Dictionary(
                uniqueKeysWithValues: lines.filter { !$0.hasPrefix("#") }.map { line in
                    let parts = line.split(separator: "=", maxSplits: 1)
                    return (String(parts[0]), String(parts[1]))
                })
        }
    }

    @Test("goes from nothing to a login in Django that opens a socket of Parley")
    func steps() async throws {
        let python = try await DjangoPython.path()
        let place = Place(
            postgres: try await PostgresServer.start(), redis: try await RedisServer.start(),
            directory: try TemporaryDirectory())
        _ = try await place.setUp()
        let attributes = try FileManager.default.attributesOfItem(atPath: place.environmentFile)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let variables = try place.variables()
        let database = try #require(variables["DJANGO_DATABASE"])

        _ = try await place.run(python, ["manage.py", "migrate", "--verbosity", "0"], variables)
        _ = try await place.run(
            "psql", [database, "-c", "GRANT SELECT ON django_session, auth_user TO parley_reader"], variables)
        let passwords = try await place.run(python, ["manage.py", "make_demo"], variables)
        #expect(passwords.split(separator: "\n").count == 2, "\(passwords)")
        #expect(try await place.run(python, ["manage.py", "make_demo"], variables).isEmpty)

        let port = FreePort.next()
        let check = try await ParleyBinary.run(["check", "--port", "\(port)"], environment: variables)
        #expect(check.status == .exited(0), "\(check.output)")
        #expect(check.output.contains("django_session and auth_user in PostgreSQL are readable"), "\(check.output)")
        for line in ["FAIL", "unknown setting"] { #expect(!check.output.contains(line), "\(check.output)") }

        let address = try #require(variables["PARLEY_DATABASE"])
        let parley = try await ParleyProcess.start(database: address, environment: variables)
        let export = try await place.run(python, ["manage.py", "export_for_parley"], variables)
        let key = try #require(variables["PARLEY_API_KEY"])
        let imported = try await parley.http.send(
            "POST", "/v1/admin/import", headers: [("Authorization", "Bearer \(key)")], body: Array(export.utf8))
        #expect(imported.status == 200)
        #expect(try imported.json()["members"] == 2)
        let cookie = try await place.run(
            python,
            [
                "-c",
                """
                import os
                os.environ["DJANGO_SETTINGS_MODULE"] = "project.settings"
                import django
                django.setup()
                from django.contrib.auth.models import User
                from django.test import Client
                client = Client(headers={"host": "127.0.0.1"})
                client.force_login(User.objects.get(username="alice"))
                print(client.cookies["sessionid"].value)
                """,
            ], variables)
        let headers = [("Cookie", "sessionid=\(cookie.split(separator: "\n").last ?? "")")]
        let socket = try await TestSocket.connect(port: parley.port, headers: headers)
        try await socket.send(json: ["message": ["id": "chat_team", "text": "hi"]])
        #expect(try await socket.nextJSON()["text"] == "hi")
        try await parley.kill()
        try await place.postgres.stop()
        try await place.redis.kill()
    }
}
