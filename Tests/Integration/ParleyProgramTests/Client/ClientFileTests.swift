import Crypto
import Foundation
import ParleyClient
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Files that ParleyClient sends to a real server.
    @Suite(.timeLimit(.minutes(5))) struct ClientFileTests {
        private static func sum(_ bytes: some DataProtocol) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

        /// The highest progress that a collection shows.
        private func sent(_ messages: MessageCollection) async -> Int {
            await messages.current().items.compactMap { $0.parts.first?.file?.upload?.sent }.max() ?? 0
        }

        @Test("a large file arrives once and unchanged through a network that cuts, and can be downloaded through it")
        func cutting() async throws {
            let server = try await ParleyProcess.start()
            let proxy = try await TCPProxy.start(to: server.port)
            let alice = try await ClientPerson.signUp("alice", port: server.port, through: proxy.port).open()
            let bob = try await ClientPerson.signUp("bob", port: server.port, through: proxy.port)
            let receiver = try bob.open()
            try await alice.connect()
            try await receiver.connect()
            let garden = try await alice.joinRoom(title: "Garden")
            try await receiver.joinRoom(title: "Garden")
            let bytes = FileUser.bytes(20_000_000)
            let messages = await alice.messages(in: garden)
            let file = LocalFile(.bytes(bytes), name: "film.bin", mediaType: "application/octet-stream")
            try await alice.send(ChatDraft("Look", files: [file]), to: garden)
            try await alice.send("after", to: garden)
            // It advances between the cuts.
            for step in 1...6 {
                #expect(try await eventually { await sent(messages) >= step * 2_000_000 })
                proxy.become(.cut)
                proxy.become(.normal)
                await alice.networkChanged()
            }
            let all = try await messages.first(within: .seconds(120)) { update in
                update.items.count == 2 && update.items.allSatisfy { $0.state == .stored }
            }
            #expect(all.items.map(\.text) == ["Look", "after"])
            let (theirs, path) = (await receiver.messages(in: garden), bob.directory.path + "/film.bin")
            let received = try await theirs.first { $0.items.count == 2 }
            let part = try #require(received.items.first?.parts.first?.file)
            #expect(part.size == bytes.count && part.name == "film.bin")
            let (progress, pieces) = AsyncStream.makeStream(of: Int.self)
            async let download: Void = {
                defer { pieces.finish() }
                try await receiver.download(part, to: path) { pieces.yield($0.received) }
            }()
            var cuts = 0
            for await received in progress where cuts < 3 && received < bytes.count {
                proxy.become(.cut)
                proxy.become(.normal)
                cuts += 1
            }
            try await download
            #expect(cuts == 3)
            #expect(Self.sum(try Data(contentsOf: URL(filePath: path))) == Self.sum(bytes))
            #expect(try await alice.attachmentLimits().usedFiles == 1)
            #expect(storedFiles(in: server.databasePath + ".files") == 1)
        }

        @Test("the next process goes on with the upload of one that died, where the server has it")
        func death() async throws {
            let server = try await ParleyProcess.start()
            let proxy = try await TCPProxy.start(to: server.port)
            let person = try await ClientPerson.signUp("alice", port: server.port, through: proxy.port)
            var client = try person.open()
            try await client.connect()
            let garden = try await client.joinRoom(title: "Garden")
            let bytes = FileUser.bytes(20_000_000)
            let file = LocalFile(.bytes(bytes), name: "film.bin", mediaType: "application/octet-stream")
            try await client.send(ChatDraft("Look", files: [file]), to: garden)
            for part in 1...3 {
                let messages = await client.messages(in: garden)
                #expect(try await eventually { await sent(messages) >= part * 4_000_000 })
                // Nothing is written when a client is shut down, and what it has under way is cut.
                await client.shutDown()
                proxy.become(.cut)
                proxy.become(.normal)
                client = try person.open()
                try await client.connect()
            }
            let messages = await client.messages(in: garden)
            let stored = try await messages.first(within: .seconds(60)) { $0.items.last?.state == .stored }
            let part = try #require(stored.items.last?.parts.first?.file)
            let downloaded = try await client.data(of: part, limit: 32 << 20)
            #expect(Self.sum(downloaded) == Self.sum(bytes))
            // One declaration, whatever happened.
            #expect(try await client.attachmentLimits().usedFiles == 1)
        }

        @Test("a discarded upload leaves nothing on the server, and what is over the quota fails with its reason")
        func discardAndQuota() async throws {
            let server = try await ParleyProcess.start(environment: ["PARLEY_ATTACHMENTS_USER_BYTES": "3000000"])
            let client = try await ClientPerson.signUp("alice", port: server.port).open()
            try await client.connect()
            let garden = try await client.joinRoom(title: "Garden")
            let messages = await client.messages(in: garden)
            let large = LocalFile(.bytes(FileUser.bytes(3_000_001)), name: "a", mediaType: "application/octet-stream")
            let refused = try await client.send(ChatDraft("", files: [large]), to: garden)
            try await client.send("text", to: garden)
            let update = try await messages.first { $0.items.contains { $0.text == "text" && $0.state == .stored } }
            let failed = try #require(update.items.first { $0.id == refused.id })
            guard case .failed(.refused(.tooLarge, let reason), false) = failed.state else {
                Issue.record("\(failed.state)")
                return
            }
            #expect(reason.contains("3000000"))
            try await client.discard(refused.id, in: garden)

            let file = LocalFile(.bytes(FileUser.bytes(2_900_000)), name: "b", mediaType: "application/octet-stream")
            let discarded = try await client.send(ChatDraft("", files: [file]), to: garden)
            #expect(try await eventually { await sent(messages) > 0 })
            try await client.discard(discarded.id, in: garden)
            #expect(try await eventually { try await client.attachmentLimits().usedFiles == 0 })
            #expect(storedFiles(in: server.databasePath + ".files") == 0)
            #expect(await messages.current().items.map(\.text) == ["text"])
            #expect(await client.unconfirmedCount == 0)
        }

        @Test("members come page by page with their roles, and sessions are listed and ended")
        func account() async throws {
            let server = try await ParleyProcess.start()
            let person = try await ClientPerson.signUp("alice", port: server.port)
            let alice = try person.open()
            let bob = try await ClientPerson.signUp("bob", port: server.port).open(storage: .inMemory)
            try await alice.connect()
            try await bob.connect()
            let garden = try await alice.joinRoom(title: "Garden")
            try await bob.joinRoom(title: "Garden")
            try await alice.addMember("bob", to: garden, role: .moderator)
            let members = try await bob.members(of: garden)
            #expect(members.map(\.user.username) == ["alice", "bob"])
            #expect(members.map(\.role) == [.owner, .moderator])
            #expect(try await alice.setDisplayName("Alice A.").displayName == "Alice A.")
            #expect(try await bob.profile(of: try #require(await alice.user).id).displayName == "Alice A.")
            let account = try ChatAccount(server: try #require(URL(string: server.baseURL)))
            _ = try await account.logIn(username: "alice", password: "correct horse")
            let other = try #require(try await alice.sessions().first { !$0.isCurrent })
            try await alice.endSession(other.id)
            #expect(try await alice.sessions().map(\.isCurrent) == [true])
        }
    }
}
