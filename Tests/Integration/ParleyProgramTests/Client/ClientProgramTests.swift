import Foundation
import ParleyClient
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// ParleyClient with a real server: connections, cuts, and deaths of both.
    @Suite(.timeLimit(.minutes(5))) struct ClientProgramTests {
        @Test("two clients talk: sends, edits, reactions, replies, receipts, typing, presence, deletions")
        func conversation() async throws {
            let server = try await ParleyProcess.start()
            let alice = try await ClientPerson.signUp("alice", port: server.port).open()
            let bob = try await ClientPerson.signUp("bob", port: server.port).open(storage: .inMemory)
            try await alice.connect()
            try await bob.connect()
            let garden = try await alice.joinRoom(title: "Garden")
            #expect(try await bob.joinableRooms().map(\.title) == ["Garden"])
            #expect(try await bob.joinRoom(title: "Garden") == garden)

            let (hers, his) = (await alice.messages(in: garden), await bob.messages(in: garden))
            let parts = [ChatPart.location(ChatLocation(latitude: 47.37, longitude: 8.54))]
            let sent = try await alice.send(ChatDraft("Hello", parts: parts), to: garden)
            let stored = try await hers.first { $0.items.last?.state == .stored }
            #expect(stored.items.map(\.id) == [sent.id])
            let received = try await his.first { $0.items.count == 1 }
            #expect(received.items.first?.text == "Hello" && received.items.first?.parts == parts)
            #expect(await bob.thread(garden)?.unread == 1)

            let original = try #require(received.items.first)
            try await bob.react("👍", to: original.id, in: garden)
            try await bob.send("Hi", to: garden, replyTo: original.seq)
            try await bob.markRead(garden)
            try await alice.edit(sent.id, in: garden, text: "Hello!")
            let changed = try await his.first { update in
                update.items.first?.text == "Hello!" && update.items.first?.editedAt != nil
                    && update.items.last?.state == .stored
            }
            #expect(changed.items.last?.replyTo == original.seq && changed.items.first?.reactions.first?.count == 1)
            #expect(try await eventually { await bob.thread(garden)?.unread == 0 })
            let bobID = try #require(await bob.user?.id)
            #expect(try await eventually { await alice.thread(garden)?.receipts[bobID] != nil })

            await alice.watchPresence(of: [bobID])
            #expect(try await eventually { await presence(of: bobID, in: alice) == true })
            await bob.setTyping(true, in: garden)
            #expect(try await eventually { await alice.thread(garden)?.typing.map(\.username) == ["bob"] })

            try await alice.delete(sent.id, in: garden)
            let deleted = try await his.first { $0.items.first?.isDeleted == true }
            #expect(deleted.items.first?.text == "" && deleted.items.count == 2)
            #expect(try await eventually { try await alice.search("Hi").messages.map(\.text) == ["Hi"] })
            #expect(try await alice.members(of: garden).map(\.user.username) == ["alice", "bob"])
            try await bob.leave(garden)
            #expect(try await eventually { await bob.thread(garden) == nil })
            let direct = try await alice.openDirect(with: "bob")
            try await alice.send("psst", to: direct)
            #expect(try await eventually { await bob.thread(direct)?.lastMessage?.text == "psst" })
        }

        private func presence(of user: ChatUser.ID, in client: ChatClient) async -> Bool? {
            for await presence in client.presence { return presence[user]?.isOnline }
            return nil
        }

        @Test("what is sent offline, and while the server is killed and restarted, is in history once and in order")
        func killedServer() async throws {
            let server = try await ParleyProcess.start()
            let person = try await ClientPerson.signUp("alice", port: server.port)
            let client = try person.open()
            try await client.connect()
            let garden = try await client.joinRoom(title: "Garden")
            let messages = await client.messages(in: garden)
            for number in 0..<5 { try await client.send("\(number)", to: garden) }
            try await server.kill()
            for number in 5..<10 { try await client.send("\(number)", to: garden) }
            #expect(await messages.current().items.count == 10)
            try await server.restart()
            let all = try await messages.first { update in
                update.items.count == 10 && update.items.allSatisfy { $0.state == .stored }
            }
            #expect(all.items.map(\.text) == (0..<10).map { "\($0)" })
            try await expectHistory(of: garden, (0..<10).map { "\($0)" }, "alice", server)
        }

        @Test("the death of the client's process at any moment neither loses nor doubles a send")
        func killedClient() async throws {
            let server = try await ParleyProcess.start()
            let person = try await ClientPerson.signUp("alice", port: server.port)
            var garden: ChatThread.ID = ""
            var texts: [String] = []
            for life in 0..<8 {
                let client = try person.open()
                if life == 0 {
                    try await client.connect()
                    garden = try await client.joinRoom(title: "Garden")
                } else {
                    // Every other life sends before it is connected.
                    if life.isMultiple(of: 2) { try await client.connect() } else { await client.start() }
                }
                for number in 0..<5 {
                    texts.append("\(life).\(number)")
                    try await client.send("\(life).\(number)", to: garden)
                }
                // Everything that was kept is on disk at this moment; nothing is written when it is shut down.
                await client.shutDown()
            }
            let last = try person.open()
            try await last.connect()
            let messages = await last.messages(in: garden)
            let wanted = texts
            let all = try await messages.first { update in
                update.items.map(\.text) == wanted && update.items.allSatisfy { $0.state == .stored }
            }
            #expect(all.items.count == 40)
            try await expectHistory(of: garden, texts, "alice", server)
        }

        @Test("a cut is bridged: what was missed arrives, what was sent is delivered, sockets resume with the ticket")
        func cut() async throws {
            let server = try await ParleyProcess.start()
            let proxy = try await TCPProxy.start(to: server.port)
            let alice = try await ClientPerson.signUp("alice", port: server.port, through: proxy.port).open()
            let bob = try await TestUser.signUp("bob", port: server.port)
            try await alice.connect()
            let garden = try await alice.joinRoom(title: "Garden")
            _ = try await bob.join("Garden")
            let messages = await alice.messages(in: garden)
            let socket = try await bob.socket()
            try await socket.send(json: ["message": ["id": .string(garden.rawValue), "text": "before"]])
            _ = try await messages.first { $0.items.last?.text == "before" }
            proxy.become(.cut)
            #expect(try await eventually { await alice.state != .connected })
            try await alice.send("mine", to: garden)
            try await socket.send(json: ["message": ["id": .string(garden.rawValue), "text": "meanwhile"]])
            _ = try await socket.nextJSON { $0["text"]?.string == "meanwhile" }
            proxy.become(.normal)
            let all = try await messages.first { $0.items.count == 3 && $0.items.allSatisfy { $0.state == .stored } }
            #expect(all.items.map(\.text) == ["before", "meanwhile", "mine"])
        }

        @Test("a session that has ended logs the client out")
        func loggedOut() async throws {
            let server = try await ParleyProcess.start()
            let person = try await ClientPerson.signUp("alice", port: server.port)
            let client = try person.open()
            try await client.connect()
            let account = try ChatAccount(server: try #require(URL(string: server.baseURL)))
            try await account.logOut(person.session)
            #expect(try await eventually { await client.state == .loggedOut(.revoked) })
            await client.start()
            #expect(try await eventually { await client.state == .loggedOut(.refused) })
        }

        /// Compares the messages of a thread with what was sent.
        private func expectHistory(
            of thread: ChatThread.ID, _ texts: [String], _ user: String, _ server: ParleyProcess,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let reader = try await TestUser.logIn(user, port: server.port)
            let history = try await reader.history(of: thread.rawValue)
            #expect(history.reversed().compactMap { $0["text"]?.string } == texts, sourceLocation: sourceLocation)
        }
    }
}
