import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The commands and their settings: errors name what is wrong and what is expected.
    @Suite struct CommandTests {
        /// A setting that must stop the start.
        struct Wrong: CustomTestStringConvertible, Sendable {
            let testDescription: String
            var arguments: [String] = []
            var environment: [String: String] = [:]
            /// All of this must be said, in whatever case.
            let says: [String]
        }

        static let wrong: [Wrong] = [
            Wrong(testDescription: "port out of range", arguments: ["--port", "70000"], says: ["port", "65535"]),
            Wrong(testDescription: "port no number", arguments: ["--port", "http"], says: ["port"]),
            Wrong(testDescription: "address", arguments: ["--bind", "not an address"], says: ["bind"]),
            Wrong(
                testDescription: "log level", arguments: ["--log-level", "loud"],
                says: ["--log-level", "debug", "info", "error"]),
            Wrong(
                testDescription: "database of another kind", arguments: ["--database", "mysql://x"],
                says: ["database", "sqlite:"]),
            Wrong(
                testDescription: "limit no number", environment: ["PARLEY_LIMITS_TEXT_CHARS": "many"],
                says: ["PARLEY_LIMITS_TEXT_CHARS"]),
            Wrong(
                testDescription: "limit negative", environment: ["PARLEY_LIMITS_SENDS_PER_SECOND": "-1"],
                says: ["PARLEY_LIMITS_SENDS_PER_SECOND"]),
            Wrong(
                testDescription: "switch", environment: ["PARLEY_AUTH_SIGNUP": "perhaps"],
                says: ["PARLEY_AUTH_SIGNUP", "true", "false"]),
            Wrong(
                testDescription: "short secret", environment: ["PARLEY_SECRET": "tiny-value"],
                says: ["PARLEY_SECRET", "32"]),
            Wrong(
                testDescription: "key set that is not there",
                environment: ["PARLEY_JWT_JWKS_FILE": "/nonexistent/keys.json"], says: ["PARLEY_JWT_JWKS_FILE"]),
            Wrong(
                testDescription: "API key without a name", environment: ["PARLEY_API_KEYS": "nonsense"],
                says: ["PARLEY_API_KEYS", "pk_"]),
            Wrong(
                testDescription: "claim of operators without a name", environment: ["PARLEY_JWT_OPERATOR_CLAIM": "=x"],
                says: ["PARLEY_JWT_OPERATOR_CLAIM", "name=value"]),
            Wrong(
                testDescription: "blank key of Django", environment: ["PARLEY_DJANGO_SECRET_KEY": "\t"],
                says: ["PARLEY_DJANGO_SECRET_KEY", "blank"]),
            Wrong(
                testDescription: "Django's table is no name",
                environment: ["PARLEY_DJANGO_USER_TABLE": "auth_user; --"], says: ["PARLEY_DJANGO_USER_TABLE"]),
            Wrong(
                testDescription: "Django's database",
                environment: ["PARLEY_DJANGO_SECRET_KEY": "a-key-of-django", "PARLEY_DJANGO_DATABASE": "mysql://x"],
                says: ["PARLEY_DJANGO_DATABASE", "sqlite:", "postgres://"]),
            Wrong(
                testDescription: "iterations", environment: ["PARLEY_AUTH_PBKDF2_ITERATIONS": "0"],
                says: ["PARLEY_AUTH_PBKDF2_ITERATIONS"]),
        ]

        @Test("a wrong value stops the start with the setting's name and what is allowed", arguments: wrong)
        func wrongSetting(_ wrong: Wrong) async throws {
            var arguments = ["serve"]
            if !wrong.arguments.contains("--port") { arguments += ["--port", "\(FreePort.next())"] }
            let outcome = try await ParleyBinary.run(
                arguments + wrong.arguments, environment: wrong.environment, within: .patience)
            #expect(outcome.status != .exited(0))
            if case .killed = outcome.status { Issue.record("it crashed: \(outcome)") }
            for word in wrong.says {
                #expect(outcome.output.lowercased().contains(word.lowercased()), "\(word): \(outcome.output)")
            }
            for (name, value) in wrong.environment where name.contains("SECRET") || name.contains("KEYS") {
                #expect(!outcome.output.contains(value), "the value of a secret was printed")
            }
        }

        @Test("a port in use says so")
        func portInUse() async throws {
            let parley = try await ParleyProcess.start()
            let outcome = try await ParleyBinary.run(
                ["serve", "--bind", "127.0.0.1", "--port", "\(parley.port)"], within: .patience)
            #expect(outcome.status != .exited(0))
            #expect(outcome.output.contains("\(parley.port)"))
            #expect(outcome.output.lowercased().contains("in use"), "\(outcome.output)")
        }

        @Test("a database that cannot be opened says so")
        func noDatabase() async throws {
            let outcome = try await ParleyBinary.run(
                ["serve", "--port", "\(FreePort.next())", "--database", "sqlite:/nonexistent/folder/parley.db"],
                within: .patience)
            #expect(outcome.status != .exited(0))
            #expect(outcome.output.contains("/nonexistent/folder/parley.db"), "\(outcome.output)")
        }

        @Test("check reports in plain words and says by its exit code whether all is well")
        func check() async throws {
            let directory = try TemporaryDirectory()
            let good = try await ParleyBinary.run([
                "check", "--port", "\(FreePort.next())", "--database", "sqlite:\(directory.path)/parley.db",
            ])
            #expect(good.status == .exited(0), "\(good.output)")
            #expect(good.output.contains("has no tables yet"), "\(good.output)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
            let bad = try await ParleyBinary.run(["check", "--database", "sqlite:/nonexistent/folder/parley.db"])
            #expect(bad.status != .exited(0), "\(bad.output)")
            #expect(bad.output.contains("/nonexistent/folder"), "\(bad.output)")
            let wrong = try await ParleyBinary.run(["check"], environment: ["PARLEY_LIMITS_TEXT_CHARS": "many"])
            #expect(wrong.status != .exited(0), "\(wrong.output)")
            #expect(wrong.output.contains("PARLEY_LIMITS_TEXT_CHARS"), "\(wrong.output)")
        }

        @Test("docs/settings.md shows every setting as the program has it")
        func settingsTable() async throws {
            let table = try await ParleyBinary.run(["check", "--settings"])
            #expect(table.status == .exited(0))
            let page = try Repository.text("docs/settings.md")
            #expect(page.hasSuffix(table.output), "make it anew: parley check --settings")
        }

        @Test("help names the commands and the options of serve")
        func help() async throws {
            let program = try await ParleyBinary.run(["--help"])
            #expect(program.status == .exited(0))
            for command in ["serve", "check"] { #expect(program.output.contains(command)) }
            let serve = try await ParleyBinary.run(["serve", "--help"])
            for option in [
                "--bind", "--port", "--database", "--line-port", "--drain-seconds", "--config", "--log-level",
            ] {
                #expect(serve.output.contains(option), "\(option)")
            }
            #expect(try await ParleyBinary.run(["sing"]).status != .exited(0))
        }

        @Test("rooms are listed as threads of that kind, and only threads have a kind")
        func listThreads() async throws {
            let directory = try TemporaryDirectory()
            let database = ["--database", "sqlite:\(directory.path)/parley.db"]
            for command in [["migrate"], ["admin", "create-thread", "Tea", "--id", "tea"]] {
                #expect(try await ParleyBinary.run(command + database).status == .exited(0))
            }
            for kind in [[], ["--kind", "room"]] {
                let list = try await ParleyBinary.run(["admin", "list", "threads"] + kind + database)
                #expect(list.status == .exited(0))
                #expect(list.output.split(separator: "\n").contains("tea\tTea\tpublic"), "\(list.output)")
            }
            for wrong in [["users", "--kind", "room"], ["threads", "--kind", "direct"]] {
                let list = try await ParleyBinary.run(["admin", "list"] + wrong + database)
                #expect(list.status != .exited(0))
                #expect(list.output.contains("kind"), "\(list.output)")
            }
        }

        @Test("links of a room are listed and revoked by command")
        func links() async throws {
            let directory = try TemporaryDirectory()
            let path = "sqlite:\(directory.path)/parley.db"
            let parley = try await ParleyProcess.start(database: path)
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let thread = try await alice.join("Tea")
            let made = try await alice.http.post("/v1/threads/\(thread)/links", json: ["uses": 10]).json()
            let link = try #require(made["id"]?.string)
            func links(_ arguments: String...) async throws -> ParleyBinary.Outcome {
                try await ParleyBinary.run(["admin", "links"] + arguments + ["--database", path])
            }
            #expect(try await links(thread).output == "\(link)\t\(alice.id)\tno end\t0 of 10\n")
            #expect(try await links(thread, "--revoke", link).output == "\(link)\trevoked\n")
            #expect(try await links(thread).output.isEmpty)
            for wrong in [[thread, "--revoke", link], ["coffee"], ["not an ID"], [thread, "--revoke", "not an ID"]] {
                let refused = try await ParleyBinary.run(["admin", "links"] + wrong + ["--database", path])
                #expect(refused.status != .exited(0), "\(wrong)")
            }
        }

        @Test("mutes and bans are decided, listed and ended by command")
        func sanctions() async throws {
            let directory = try TemporaryDirectory()
            let database = ["--database", "sqlite:\(directory.path)/parley.db"]
            func admin(_ arguments: String...) async throws -> ParleyBinary.Outcome {
                try await ParleyBinary.run(["admin"] + arguments + database)
            }
            #expect(try await ParleyBinary.run(["migrate"] + database).status == .exited(0))
            #expect(try await admin("create-user", "bob", "--id", "b").status == .exited(0))
            #expect(try await admin("create-thread", "Tea", "--id", "tea").status == .exited(0))
            let mute = try await admin("sanction", "tea", "bob", "mute", "--seconds", "600", "--reason", "spam")
            #expect(mute.output.hasPrefix("b\tbob\tmute\t2") && mute.output.hasSuffix("Z\tspam\n"), "\(mute.output)")
            let ban = try await admin("sanction", "tea", "id:b", "ban")
            #expect(ban.output == "b\tbob\tban\tno end\n")
            #expect(try await admin("sanctions", "tea").output == ban.output + mute.output)
            #expect(try await admin("end-sanction", "tea", "bob", "mute").output == "b\tbob\tmute\tended\n")
            #expect(try await admin("sanctions", "tea").output == ban.output)
            for wrong in [
                ["end-sanction", "tea", "bob", "mute"], ["sanction", "tea", "bob", "kick"], ["sanctions", "coffee"],
                ["sanction", "tea", "zoe", "ban"], ["sanction", "tea", "bob", "mute", "--seconds", "0"],
            ] {
                let refused = try await ParleyBinary.run(["admin"] + wrong + database)
                #expect(refused.status != .exited(0), "\(wrong)")
            }
        }

        @Test("flags go before the environment, the environment before the file")
        func precedence() async throws {
            let directory = try TemporaryDirectory()
            let file = directory.path + "/parley.json"
            let settings: JSONValue = ["limits": ["text_chars": 5]]
            try settings.text.write(toFile: file, atomically: true, encoding: .utf8)

            /// Whether a text of `length` comes through.
            func accepts(_ length: Int, _ environment: [String: String]) async throws -> Bool {
                let parley = try await ParleyProcess.start(
                    arguments: ["--config", file, "--log-level", "info"], environment: environment)
                let alice = try await TestUser.signUp("alice", port: parley.port)
                let thread = try await alice.join("Room")
                let socket = try await alice.socket()
                try await socket.say(String(repeating: "x", count: length), in: thread)
                try await socket.say("end", in: thread)
                return try await socket.nextMessage().text != "end"
            }
            #expect(try await accepts(5, [:]))
            #expect(try await !accepts(6, [:]))
            #expect(try await accepts(6, ["PARLEY_LIMITS_TEXT_CHARS": "10"]))
        }
    }
}
