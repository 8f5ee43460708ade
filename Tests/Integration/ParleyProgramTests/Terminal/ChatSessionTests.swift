import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Sessions of `parley chat`: kept, dead, damaged, of somebody else, and refused for ever by a silent server.
    @Suite(.timeLimit(.minutes(5))) struct ChatSessionTests {
        @Test("with a password a dead session is replaced, and --sign-up creates the account that is gone")
        func deadSession() async throws {
            let server = try await ParleyProcess.start()
            let alice = try ChatRun("alice", server)
            try alice.keep(session: Array("dead".utf8))
            let refused = try await alice.lines("--room Garden --plain", input: ["x"])
            #expect(refused.status == .exited(1) && refused.errors.joined().contains("--sign-up"), "\(refused)")
            let run = try await alice.lines("--sign-up --room Garden --plain", input: ["Hello"])
            #expect(run.status == .exited(0) && run.output.contains { $0.hasSuffix("alice: Hello") }, "\(run)")
            #expect(try await alice.lines("--room Garden --plain", password: nil).status == .exited(0))
        }

        @Test("without a password a dead session is removed, and the user is told to log in")
        func removedSession() async throws {
            let server = try await ParleyProcess.start()
            let alice = try ChatRun("alice", server)
            try alice.keep(session: Array("dead".utf8))
            let run = try await alice.lines("--sign-up --room Garden --plain", password: nil)
            #expect(run.status == .exited(1), "\(run)")
            #expect(run.errors.joined().contains("set PARLEY_CHAT_PASSWORD"), "\(run)")
            #expect(!FileManager.default.fileExists(atPath: alice.sessionPath))
            #expect(try await alice.lines("--sign-up --room Garden --plain").status == .exited(0))
        }

        @Test("a session file that contains no token is named, and replaced at the next login")
        func damagedSession() async throws {
            let server = try await ParleyProcess.start()
            let alice = try ChatRun("alice", server)
            try alice.keep(session: [0xFF, 0xFE, 0x0A, 0x41])
            for arguments in ["--room Garden --plain", "--log-out"] {
                let run = try await alice.lines(arguments, password: nil)
                #expect(run.status != .exited(0) && run.errors.joined().contains(alice.sessionPath), "\(run)")
            }
            #expect(try await alice.lines("--sign-up --room Garden --plain").status == .exited(0))
            #expect(try await alice.lines("--room Garden --plain", password: nil).status == .exited(0))
        }

        @Test("a token is used by its user only")
        func otherToken() async throws {
            let server = try await ParleyProcess.start()
            let (alice, bob) = (try ChatRun("alice", server), try ChatRun("bob", server))
            #expect(try await bob.lines("--sign-up --room Garden --plain").status == .exited(0))
            let token = try bob.token()
            let run = try await alice.lines("--room Garden --plain", input: ["x"], password: nil, token: token)
            #expect(run.status == .exited(1) && run.output.isEmpty, "\(run)")
            #expect(run.errors.joined().contains("is that of bob, not of alice"), "\(run)")
            let own = try await bob.lines("--room Garden --plain --memory", input: ["y"], password: nil, token: token)
            #expect(own.status == .exited(0), "\(own)")
            let reader = try await TestUser.logIn("bob", port: server.port)
            let history = try await reader.history(of: reader.join("Garden"))
            #expect(history.compactMap { $0["text"]?.string } == ["y"])
            let damaged = try await alice.lines("--room Garden --plain", password: nil, token: "a\u{1}b")
            #expect(damaged.status == .exited(64) && damaged.errors.joined().contains("PARLEY_CHAT_TOKEN"))
        }

        @Test("--wait bounds a login on a server that does not answer")
        func silentServer() async throws {
            let server = try await ParleyProcess.start()
            server.signal(SIGSTOP)
            defer { server.signal(SIGCONT) }
            let run = try await ChatRun("alice", server).lines(
                "--room Garden --plain --wait 1", within: .seconds(20))
            #expect(run.status == .exited(1) && run.errors.joined().contains("in time"), "\(run)")
        }
    }
}
