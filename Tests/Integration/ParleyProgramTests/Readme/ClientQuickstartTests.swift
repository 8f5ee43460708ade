import Foundation
import ParleyClient
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The quickstart of ParleyClient in the README. `run` has its lines, so that the compiler and a server check them.
    @Suite struct ClientQuickstartTests {
        private func run(_ server: URL, _ path: String) async throws -> [String] {
            let session = try await ChatAccount(server: server).logInOrSignUp(
                username: "alice", password: "correct horse")
            let client = try ChatClient(
                configuration: .init(server: server, credentials: session, storage: .file(path)))
            await client.start()
            let garden = try await client.joinRoom(title: "Garden")
            try await client.send("Hello", to: garden)
            for await update in await client.messages(in: garden) {
                for message in update.items { print(message.senderName, message.text, message.state) }
                guard update.items.contains(where: { $0.state == .stored }) else { continue }
                await client.shutDown()
                return update.items.map { "\($0.senderName): \($0.text)" }
            }
            return []
        }

        @Test("sends a message, and shows it until it is stored", .timeLimit(.minutes(1)))
        func client() async throws {
            let parley = try await ParleyProcess.start()
            let directory = try TemporaryDirectory()
            let server = try #require(URL(string: parley.baseURL))
            #expect(try await run(server, directory.path + "/alice.db") == ["alice: Hello"])
        }

        @Test("runs twice: the second time it logs in, and has the same cache", .timeLimit(.minutes(1)))
        func twice() async throws {
            let parley = try await ParleyProcess.start()
            let directory = try TemporaryDirectory()
            let server = try #require(URL(string: parley.baseURL))
            #expect(try await run(server, directory.path + "/alice.db") == ["alice: Hello"])
            let again = try await run(server, directory.path + "/alice.db")
            #expect(again.allSatisfy { $0 == "alice: Hello" } && (1...2).contains(again.count))
            let shown = try await TestUser.logIn("alice", port: parley.port)
            let rooms = try await shown.http.get("/v1/threads").json()["threads"]?.array ?? []
            #expect(rooms.compactMap { $0["title"]?.string } == ["Garden"])
        }

        @Test("the README has the lines that are tested")
        func lines() throws {
            // The formatter breaks a long line that is indented here and not in the README.
            let source = try Repository.text("Tests/Integration/ParleyProgramTests/Readme/ClientQuickstartTests.swift")
                .filter { !$0.isWhitespace }
            let lines = try Quickstart.text("client").replacing("\"alice.db\"", with: "path").split(separator: "\n")
            #expect(lines.count == 11)
            for line in lines where !line.hasPrefix("let server") {
                #expect(source.contains(line.filter { !$0.isWhitespace }), "\(line)")
            }
        }
    }
}
