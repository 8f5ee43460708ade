import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Who is an operator, by the commands and settings of the program.
    @Suite struct OperatorTests {
        private static let key = "a secret of 32 bytes for the JWTs"
        private static let path = "/v1/admin/nodes"

        private func start(_ more: [String: String] = [:]) async throws -> ParleyProcess {
            let settings = [
                "PARLEY_AUTH_ADMINS": "boss", "PARLEY_JWT_HS256_KEY": Self.key, "PARLEY_JWT_CREATE_USERS": "true",
            ]
            return try await ParleyProcess.start(environment: settings.merging(more) { $1 })
        }

        private func admin(_ parley: ParleyProcess, _ arguments: String...) async throws -> ParleyBinary.Outcome {
            try await ParleyBinary.run(["admin"] + arguments + ["--database", "sqlite:\(parley.databasePath)"])
        }

        private func bearer(_ claims: [String: JSONValue], _ parley: ParleyProcess) -> HTTPClient {
            let claims = JSONValue.object(claims.merging(["exp": TokenSigner.time(600)]) { $1 })
            let token = TokenSigner.hs256(claims, key: Self.key)
            return HTTPClient(port: parley.port, headers: [("Authorization", "Bearer \(token)")])
        }

        @Test("nobody takes a name of the setting, in whatever width or case; who was made by command has it at once")
        func names() async throws {
            let parley = try await start()
            for (number, name) in ["boss", "BOSS", "Boss", "\u{FF42}oss", "\u{FF22}OSS"].enumerated() {
                let http = bearer(
                    ["sub": .string("jwt-\(number)"), "preferred_username": .string(name)], parley)
                #expect(try await http.get(Self.path).status == 403, "\(name)")
                #expect(try await http.get("/v1/me").json()["username"]?.string != name)
                let signUp = try await HTTPClient(port: parley.port)
                    .post("/auth/signup", form: ["username": name, "password": "correct horse"])
                #expect(signUp.status == 403, "\(name)")
            }
            // A user whose sub is the name itself.
            #expect(try await bearer(["sub": "boss"], parley).get(Self.path).status == 403)
            let made = try await admin(parley, "create-user", "boss", "--id", "the-boss")
            #expect(made.status == .exited(0), "\(made.output)")
            let line = try #require(made.output.split(separator: "\n").first { $0.hasPrefix("password: ") })
            let boss = try await TestUser.logIn("boss", password: String(line.dropFirst(10)), port: parley.port)
            #expect(try await boss.http.get(Self.path).status == 200)
            #expect(try await bearer(["sub": "the-boss"], parley).get(Self.path).status == 200)
        }

        @Test("an operator is made and unmade by command, while the program runs, and each says what it has changed")
        func commands() async throws {
            let parley = try await start()
            let ann = try await TestUser.signUp("ann", port: parley.port)
            let steps: [(command: String, user: String, says: String, status: Int)] = [
                ("revoke-operator", "ann", "was no operator", 403),
                ("grant-operator", "ann", "is an operator now", 200),
                ("grant-operator", ann.id, "was an operator already", 200),
                ("revoke-operator", ann.id, "is no operator any more", 403),
                ("grant-operator", "ann", "is an operator now", 200),
            ]
            for step in steps {
                let outcome = try await admin(parley, step.command, step.user)
                #expect(outcome.status == .exited(0), "\(outcome.output)")
                #expect(outcome.output.contains("\(ann.id)\tann\t\(step.says)"), "\(outcome.output)")
                #expect(try await ann.http.get(Self.path).status == step.status, "\(step.command)")
            }
            #expect(try await admin(parley, "list", "operators").output == "\(ann.id)\tann\n")
            let unknown = try await admin(parley, "grant-operator", "nobody")
            #expect(unknown.status != .exited(0))
            #expect(unknown.output.contains("no user has the name or id nobody"))
            // Who has somebody's id as a name is not granted what is meant for them.
            let namesake = try await admin(parley, "create-user", ann.id, "--id", "other")
            #expect(namesake.status == .exited(0), "\(namesake.output)")
            for (argument, says) in [
                (ann.id, "\(ann.id)\tann\tis no operator"), ("name:\(ann.id)", "other\t\(ann.id)\twas no"),
            ] {
                let outcome = try await admin(parley, "revoke-operator", argument)
                #expect(outcome.output.contains(says), "\(outcome.output)")
            }
            #expect(try await ann.http.get(Self.path).status == 403)
        }

        @Test("a JWT with the claim of the setting is an operator's, and nothing that is made with it")
        func claim() async throws {
            let parley = try await start(["PARLEY_JWT_OPERATOR_CLAIM": "roles=ops"])
            let ops = bearer(["sub": "ann", "roles": ["staff", "ops"]], parley)
            #expect(try await ops.get(Self.path).status == 200)
            #expect(try await bearer(["sub": "ann", "roles": ["staff"]], parley).get(Self.path).status == 403)
            #expect(try await bearer(["sub": "ann", "ops": true], parley).get(Self.path).status == 403)
            // Or who has such a token for minutes would be an operator for good.
            let made = try await ops.post(
                "/v1/admin/users", json: ["username": "boss", "password": "correct horse"])
            #expect(made.status == 201, "\(made.text)")
            let login = try await HTTPClient(port: parley.port)
                .post("/auth/login", form: ["username": "boss", "password": "correct horse"])
            let cookie = try #require(login.header("set-cookie")?.split(separator: ";").first.map(String.init))
            let boss = HTTPClient(port: parley.port, headers: [("Cookie", cookie)])
            #expect(try await boss.get("/v1/me").status == 200)
            #expect(try await boss.get(Self.path).status == 403)
        }
    }
}
