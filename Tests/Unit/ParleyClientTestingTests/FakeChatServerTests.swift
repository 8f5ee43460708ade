import Foundation
import ParleyClient
import ParleyClientTesting
import Testing

/// The server of apps' tests, as an app uses it: with real clients, and a clock that stands still.
@Suite(.timeLimit(.minutes(1))) struct FakeChatServerTests {
    let server = FakeChatServer()
    let ada: ChatUser
    let bob: ChatUser
    let garden: ChatThread.ID

    init() {
        ada = server.addUser("ada", password: "correct horse")
        bob = server.addUser("bob")
        garden = server.addRoom("Garden", members: [ada, bob])
    }

    func connected(_ user: ChatUser) async throws -> ChatClient {
        let client = try ChatClient(configuration: server.configuration(for: user))
        await client.start()
        _ = await client.states.first { $0 == .connected }
        return client
    }

    func advance(by duration: Duration) { (server.clock as? ManualChatClock)?.advance(by: duration) }

    /// Waits until a snapshot is as wanted.
    func shown(
        _ collection: MessageCollection, where isWanted: (ChatUpdate<ChatMessage>) -> Bool
    ) async throws -> [ChatMessage] {
        for await update in collection where isWanted(update) { return update.items }
        throw CancellationError()
    }

    @Test("two clients chat: messages, edits, reactions, deletions, read marks and typing")
    func conversation() async throws {
        let (hers, his) = (try await connected(ada), try await connected(bob))
        let messages = await his.messages(in: garden)
        let sent = try await hers.send("Hello", to: garden)
        let hello = try #require(try await shown(messages) { $0.items.last?.text == "Hello" }.last)
        #expect(hello.senderName == "ada" && hello.senderID == ada.id && hello.state == .stored)
        try await hers.edit(sent.id, in: garden, text: "Hello!")
        _ = try await shown(messages) { $0.items.last?.text == "Hello!" }
        try await his.react("👍", to: hello.id, in: garden)
        _ = try await shown(await hers.messages(in: garden)) { $0.items.last?.reactions.first?.users == [bob.id] }
        try await his.markRead(garden)
        for await update in hers.threads() where update.items.first?.receipts[bob.id] != nil { break }
        await his.setTyping(true, in: garden)
        for await update in hers.threads() where update.items.first?.typing.map(\.id) == [bob.id] { break }
        try await hers.delete(sent.id, in: garden)
        _ = try await shown(messages) { $0.items.last?.isDeleted == true }
        #expect(server.messages(in: garden).map(\.text) == [""])
    }

    @Test("what is sent offline arrives once when the server is back, and what was missed too")
    func offline() async throws {
        let client = try await connected(ada)
        server.goOffline()
        _ = await client.states.first { if case .offline(.some) = $0 { true } else { false } }
        try await client.send("one", to: garden)
        try await client.send("two", to: garden)
        server.post("meanwhile", from: bob, in: garden)
        #expect(server.messages(in: garden).map(\.text) == ["meanwhile"] && server.connectionCount == 0)
        server.goOnline()
        advance(by: .seconds(60))
        let all = try await shown(await client.messages(in: garden)) { update in
            update.items.count == 3 && update.items.allSatisfy { $0.state == .stored }
        }
        #expect(all.map(\.text) == ["meanwhile", "one", "two"])
        #expect(await client.unconfirmedCount == 0)
    }

    @Test("a refused send fails with its code, can be retried, and the next one is sent")
    func refused() async throws {
        let client = try await connected(ada)
        let messages = await client.messages(in: garden)
        server.refuseSends(code: .forbidden)
        let sent = try await client.send("no", to: garden)
        try await client.send("yes", to: garden)
        let update = try await shown(messages) { update in
            update.items.contains { $0.text == "yes" && $0.state == .stored }
        }
        let failed = try #require(update.first { $0.id == sent.id })
        guard case .failed(.refused(.forbidden, _), false) = failed.state else {
            Issue.record("\(failed.state)")
            return
        }
        try await client.retry(sent.id, in: garden)
        _ = try await shown(messages) { update in update.items.allSatisfy { $0.state == .stored } }
        #expect(server.messages(in: garden).map(\.text) == ["yes", "no"])
    }

    @Test("a rate limit is waited for, as long as the server says")
    func rateLimited() async throws {
        let client = try await connected(ada)
        server.refuseSends(code: .rateLimited, retryAfter: .seconds(7))
        try await client.send("patience", to: garden)
        let clock = try #require(server.clock as? ManualChatClock)
        await clock.sleeper(within: .seconds(7))
        clock.advance(by: .seconds(6))
        #expect(server.messages(in: garden).isEmpty)
        clock.advance(by: .seconds(1))
        _ = try await shown(await client.messages(in: garden)) { $0.items.last?.state == .stored }
    }

    @Test("with a latency, a message is pending until the clock has advanced")
    func latency() async throws {
        let client = try await connected(ada)
        server.setLatency(.seconds(2))
        let messages = await client.messages(in: garden)
        try await client.send("slow", to: garden)
        #expect(await messages.current().items.map(\.state) == [.pending])
        while server.messages(in: garden).isEmpty { await Task.yield() }
        #expect(await messages.current().items.map(\.state) == [.pending])
        advance(by: .seconds(2))
        _ = try await shown(messages) { $0.items.last?.state == .stored }
    }

    @Test("the end of a session logs a client out, and a close code is obeyed")
    func loggedOut() async throws {
        let client = try await connected(ada)
        server.closeConnections(code: 4300)
        _ = await client.states.first { $0 == .connected }
        server.endSessions(of: ada)
        _ = await client.states.first { if case .loggedOut = $0 { true } else { false } }
        await client.start()
        _ = await client.states.first { $0 == .loggedOut(.refused) }
    }

    @Test("a refused handshake is tried again after Retry-After")
    func refusedHandshake() async throws {
        server.refuseConnections(status: 503, retryAfter: 20)
        let client = try ChatClient(configuration: server.configuration(for: ada))
        await client.start()
        let state = await client.states.first { if case .offline(.some) = $0 { true } else { false } }
        guard case .offline(.some(let until)) = state else {
            Issue.record("\(String(describing: state))")
            return
        }
        #expect(until.timeIntervalSince(server.clock.date) >= 20)
        server.acceptConnections()
        advance(by: .seconds(21))
        _ = await client.states.first { $0 == .connected }
    }

    @Test("files are uploaded, downloaded, and known to the limits")
    func files() async throws {
        let (hers, his) = (try await connected(ada), try await connected(bob))
        let bytes = [UInt8](repeating: 7, count: 300_000)
        let file = LocalFile(.bytes(bytes), name: "a.bin", mediaType: "application/octet-stream")
        try await hers.send(ChatDraft("Look", files: [file]), to: garden)
        let received = try await shown(await his.messages(in: garden)) { $0.items.last?.text == "Look" }
        let part = try #require(received.last?.parts.first?.file)
        #expect(part.name == "a.bin" && part.size == bytes.count)
        #expect(try await his.data(of: part) == Data(bytes))
        #expect(try await hers.attachmentLimits().usedFiles == 1)
    }

    @Test("rooms, members, direct threads, search and presence")
    func rooms() async throws {
        let (hers, his) = (try await connected(ada), try await connected(bob))
        let kitchen = try await hers.joinRoom(title: "Kitchen")
        #expect(try await his.joinableRooms().map(\.title) == ["Kitchen"])
        #expect(try await his.joinRoom(title: "Kitchen") == kitchen)
        #expect(try await hers.members(of: kitchen).map(\.role) == [.owner, .member])
        await #expect(throws: ChatError.self) { try await his.rename(kitchen, to: "Cellar") }
        try await hers.rename(kitchen, to: "Cellar")
        for await update in his.threads() where update.items.contains(where: { $0.title == "Cellar" }) { break }
        let direct = try await his.openDirect(with: ada)
        try await his.send("psst", to: direct)
        // The clock stands still, so no thread is more recent than another.
        for await update in hers.threads() where update.items.contains(where: { $0.lastMessage?.text == "psst" }) {
            break
        }
        #expect(await hers.thread(direct)?.title == "bob")
        #expect(try await hers.search("PSST").messages.map(\.text) == ["psst"])
        await hers.watchPresence(of: [bob.id])
        for await presence in hers.presence where presence[bob.id]?.isOnline == true { break }
        await his.shutDown()
        for await presence in hers.presence where presence[bob.id]?.isOnline == false { break }
        try await hers.leave(kitchen)
        for await update in hers.threads() where !update.items.contains(where: { $0.id == kitchen }) { break }
    }

    @Test("a private room is in no list and does not exist for others; its title leads its members into it")
    func visibility() async throws {
        let (hers, his) = (try await connected(ada), try await connected(bob))
        let den = try await hers.joinRoom(title: "Den", visibility: .private)
        #expect(await hers.thread(den)?.visibility == .private)
        #expect(try await his.joinableRooms().isEmpty)
        await #expect(throws: ChatError.refused(code: .notFound, message: "refused by the fake server")) {
            try await his.members(of: den)
        }
        #expect(try await his.joinRoom(title: "Den") != den)
        #expect(try await hers.joinRoom(title: "Den") == den)
        await #expect(throws: ChatError.refused(code: .conflict, message: "refused by the fake server")) {
            try await hers.setVisibility(.public, of: den)
        }
        try await hers.setVisibility(.unlisted, of: den)
        for await update in hers.threads() where update.items.contains(where: { $0.visibility == .unlisted }) { break }
        await #expect(throws: ChatError.refused(code: .notAMember, message: "refused by the fake server")) {
            try await his.members(of: den)
        }
        server.setVisibility(.private, of: garden)
        for await update in his.threads()
        where update.items.contains(where: { $0.id == garden && $0.visibility == .private }) { break }
    }

    @Test("a window that was opened before the client knew the thread shows it")
    func early() async throws {
        for number in 1...60 { server.post("\(number)", from: bob, in: garden) }
        let client = try ChatClient(configuration: server.configuration(for: ada))
        let messages = await client.messages(in: garden)
        #expect(await messages.current().items.isEmpty)
        await client.start()
        let items = try await shown(messages) { $0.items.last?.text == "60" && $0.items.count >= 50 }
        #expect(items.count < 60)
    }

    @Test("accounts: sign-up, login, a wrong password, refused requests, profile and sessions")
    func accounts() async throws {
        let account = try ChatAccount(server: FakeChatServer.address, transport: server)
        _ = try await account.signUp(username: "carl", password: "correct horse")
        await #expect(throws: ChatError.self) { try await account.signUp(username: "carl", password: "correct horse") }
        await #expect(throws: ChatError.unauthorized) {
            try await account.logIn(username: "carl", password: "wrong one")
        }
        server.refuseRequests(code: .unavailable)
        await #expect(throws: ChatError.self) { try await account.logIn(username: "carl", password: "correct horse") }
        let credentials = try await account.logIn(username: "carl", password: "correct horse")
        #expect(try await account.user(of: credentials).username == "carl")
        try await account.logOut(credentials)
        await #expect(throws: ChatError.unauthorized) { try await account.user(of: credentials) }
        let client = try await connected(ada)
        #expect(try await client.setDisplayName("Ada").displayName == "Ada")
        #expect(try await client.sessions().map(\.isCurrent) == [true])
        #expect(server.user(ada.id).displayName == "Ada")
    }

    @Test("the first snippet runs twice: with a new account and a new file, and with the same ones")
    func snippet() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).db").path()
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        for count in 1...2 {
            let session = try await ChatAccount(server: FakeChatServer.address, transport: server).logInOrSignUp(
                username: "alice", password: "correct horse")
            var configuration = ChatConfiguration(
                server: FakeChatServer.address, credentials: session, storage: .file(path))
            configuration.transport = server
            let client = try ChatClient(configuration: configuration)
            await client.start()
            let room = try await client.joinRoom(title: "Shed")
            try await client.send("Hello", to: room)
            _ = try await shown(await client.messages(in: room)) { update in
                update.items.count == count && update.items.allSatisfy { $0.state == .stored }
            }
            await client.shutDown()
        }
        let account = try ChatAccount(server: FakeChatServer.address, transport: server)
        await #expect(throws: ChatError.unauthorized) {
            try await account.logInOrSignUp(username: "alice", password: "another one")
        }
    }

    @Test("a client opens with what it has while the server is offline, and roles and removals reach it")
    func reopened() async throws {
        server.post("old", from: bob, in: garden)
        let client = try await connected(ada)
        _ = try await shown(await client.messages(in: garden)) { $0.items.count == 1 }
        server.setRole(.readOnly, of: ada, in: garden)
        for await update in client.threads() where update.items.first?.role == .readOnly { break }
        try await client.send("may not", to: garden)
        _ = try await shown(await client.messages(in: garden)) { update in
            if case .failed(.refused(.forbidden, _), _) = update.items.last?.state { true } else { false }
        }
        server.remove(ada, from: garden)
        for await update in client.threads() where update.items.isEmpty { break }
    }
}
