import Foundation
import ParleyClient
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// `parley chat --plain` and `--json` in pipes.
    @Suite(.timeLimit(.minutes(5))) struct ChatLinesTests {
        @Test("texts and commands go in, messages and their changes come out")
        func conversation() async throws {
            let server = try await ParleyProcess.start()
            let alice = try ChatRun("alice", server)
            let first = try await alice.lines(
                "--sign-up --room Garden --json", input: ["Hello", "//slash", "/react last 👍"])
            #expect(first.status == .exited(0), "\(first)")
            let texts = try first.objects("message")
            #expect(texts.first?["text"]?.string == "Hello" && texts.first?["state"]?.string == "pending")
            let edit = try await alice.lines("--room Garden --json", input: ["/edit 3 changed"])
            let last = try #require(try edit.objects("message").last)
            #expect(last["text"]?.string == "changed" && last["state"]?.string == "stored")
            #expect(last["edited"]?.bool == true && last["seq"]?.int == 3 && last["own"]?.bool == true)
            #expect(last["reactions"]?.array?.first?["emoji"]?.string == "👍")
            let states = try first.objects("state").compactMap { $0["state"]?.string }
            #expect(states == ["connecting", "connected"])
            #expect(try first.objects("thread").first?["title"]?.string == "Garden")

            let bob = try ChatRun("bob", server)
            let second = try await bob.lines(
                "--sign-up --room Garden --plain",
                input: ["Hi", "/reply last me too", "/read", "/search hello", "/delete last"])
            #expect(second.status == .exited(0), "\(second)")
            let lines = second.output.map { $0.replacing(/^[\d:-]+ (?:[\d:]+ )?/, with: "") }
            for line in ["alice: Hello", "alice: changed (edited) (👍 1)", "bob: Hi", "bob: (deleted)"] {
                #expect(lines.contains(line), "\(line): \(lines)")
            }
            // The session is kept: no password is needed any more.
            let third = try await alice.lines("--room Garden --plain", password: nil)
            #expect(third.status == .exited(0) && third.output.contains { $0.hasSuffix("bob: Hi") }, "\(third)")
        }

        @Test("two users talk directly, and --follow prints what comes until a signal")
        func follow() async throws {
            let server = try await ParleyProcess.start()
            let (alice, bob) = (try ChatRun("alice", server), try ChatRun("bob", server))
            for user in [alice, bob] {
                #expect(try await user.lines("--sign-up --room Lobby --plain").status == .exited(0))
            }
            let following = try await alice.start("--direct bob --plain --follow")
            #expect(try await bob.lines("--direct alice --plain", input: ["psst"]).status == .exited(0))
            #expect(try await eventually { alice.lines(following.output).contains { $0.hasSuffix("bob: psst") } })
            following.child.signal(SIGTERM)
            #expect(try await following.child.exit(within: .patience) == .exited(0))
        }

        @Test("what was printed as pending survives SIGKILL and a server that is killed, and is delivered once")
        func killed() async throws {
            let server = try await ParleyProcess.start()
            let alice = try ChatRun("alice", server)
            #expect(try await alice.lines("--sign-up --room Garden --plain").status == .exited(0))
            try await server.kill()
            let texts = (0..<20).map { "text \($0)" }
            let run = try await alice.start(
                "--room Garden --json --follow", input: texts.map { $0 + "\n" }.joined())
            #expect(
                try await eventually {
                    alice.lines(run.output).filter { $0.contains(#""state":"pending""#) }.count == texts.count
                })
            run.child.signal(SIGKILL)
            _ = try await run.child.exit(within: .patience)
            let offline = try await alice.lines("--room Garden --plain --wait 1", input: ["text 20"])
            #expect(offline.status == .exited(1))
            #expect(offline.errors.contains { $0.contains("not confirmed: text 20") }, "\(offline)")
            try await server.restart()
            #expect(try await alice.lines("--room Garden --plain").status == .exited(0))
            let reader = try await TestUser.logIn("alice", port: server.port)
            let history = try await reader.history(of: reader.join("Garden"))
            #expect(history.reversed().compactMap { $0["text"]?.string } == texts + ["text 20"])
        }

        @Test("text of others cannot reach the terminal as it is")
        func hostile() async throws {
            let server = try await ParleyProcess.start()
            let bob = try await TestUser.signUp("bob", port: server.port)
            let room = try await bob.join("Garden")
            let text = "\u{1B}[31m\u{9B}2J\u{202E}x\u{07}\nsecond"
            let socket = try await bob.socket(subprotocols: ["parley.v1"])
            _ = try await socket.nextJSON { $0["type"]?.string == "hello" }
            try await socket.send(json: ["message": ["id": .string(room), "text": .string(text)]])
            let alice = try ChatRun("alice", server)
            _ = try await alice.lines("--sign-up --room Garden --plain", input: ["here"])
            for format in ["--plain", "--json"] {
                let run = try await alice.lines("--room Garden \(format)")
                let output = run.output.joined(separator: "\n")
                let isSafe = output.unicodeScalars.allSatisfy { scalar in
                    (scalar.value >= 0x20 || scalar == "\n") && !(0x7F..<0xA0).contains(scalar.value)
                        && !scalar.properties.isBidiControl
                }
                #expect(isSafe && output.contains("second"), "\(output.debugDescription)")
                if format == "--plain" { #expect(run.output.count == 2) }
            }
            let run = try await alice.lines("--room Garden --json")
            #expect(try run.objects("message").first?["text"]?.string == text)
        }

        @Test(
            "wrong use says what is wrong, with a code of its own",
            arguments: [
                ("--plain", nil, 64, "--room"), ("--plain --json --room x", nil, 64, "exclude"),
                ("--plain --room x", nil, 64, "PARLEY_CHAT_PASSWORD"), ("", "correct horse", 64, "--plain"),
                ("--plain --room x", "wrong password", 1, "--sign-up"), ("--log-out", nil, 1, "no session"),
            ] as [(String, String?, Int32, String)])
        func wrongUse(_ arguments: String, _ password: String?, _ code: Int32, _ word: String) async throws {
            let server = try await ParleyProcess.start()
            let run = try await ChatRun("carl", server).lines(arguments, password: password)
            #expect(run.status == .exited(code), "\(run)")
            #expect(run.errors.joined().contains(word) && run.output.isEmpty, "\(run)")
        }

        @Test("a line that cannot be done is reported, and the others are done")
        func errors() async throws {
            let server = try await ParleyProcess.start()
            let alice = try ChatRun("alice", server)
            let long = String(repeating: "x", count: 5000)
            let run = try await alice.lines(
                "--sign-up --room Garden --json", input: ["/sing", "/delete 99", long, "good"])
            #expect(run.status == .exited(1) && run.errors.count == 3, "\(run)")
            #expect(try run.objects("error").compactMap { $0["line"]?.int } == [1, 2, 3])
            #expect(try run.objects("message").last?["text"]?.string == "good")
        }

        @Test("a change that is refused is reported, also of a message that was never printed")
        func refusedChange() async throws {
            let server = try await ParleyProcess.start(environment: ["PARLEY_LIMITS_SENDS_PER_SECOND": "0"])
            let bob = try await ClientPerson.signUp("bob", port: server.port).open(storage: .inMemory)
            try await bob.connect()
            let garden = try await bob.joinRoom(title: "Garden")
            for number in 1...60 { try await bob.send("\(number)", to: garden) }
            #expect(try await eventually { await bob.unconfirmedCount == 0 })
            let alice = try ChatRun("alice", server)
            let run = try await alice.lines("--sign-up --room Garden --plain", input: ["/edit 2 mine"])
            #expect(run.status == .exited(1), "\(run)")
            #expect(run.errors.contains { $0.contains("not confirmed: edit: mine (a change was refused") }, "\(run)")
        }

        @Test("the session is private, used by one program at a time, and removed by --log-out")
        func session() async throws {
            let server = try await ParleyProcess.start()
            let alice = try ChatRun("alice", server)
            let following = try await alice.start("--sign-up --room Garden --plain --follow")
            #expect(try await eventually { FileManager.default.fileExists(atPath: alice.folder + "/chat.db") })
            let files = FileManager.default
            for (name, mode) in [("", 0o700), ("/session", 0o600), ("/chat.db", 0o600)] {
                let attributes = try files.attributesOfItem(atPath: alice.folder + name)
                #expect(attributes[.posixPermissions] as? Int == mode, "\(name)")
            }
            let second = try await alice.lines("--room Garden --plain")
            #expect(second.status == .exited(1) && second.errors.joined().contains("--memory"), "\(second)")
            #expect(try await alice.lines("--room Garden --plain --memory").status == .exited(0))
            following.child.signal(SIGINT)
            #expect(try await following.child.exit(within: .patience) == .exited(0))
            let token = try alice.token()
            #expect(try await alice.lines("--log-out", password: nil).status == .exited(0))
            #expect(!files.fileExists(atPath: alice.folder))
            let headers = [("Authorization", "Bearer \(token)")]
            let reply = try await HTTPClient(port: server.port, headers: headers).get("/v1/threads")
            #expect(reply.status == 401)
        }
    }
}
