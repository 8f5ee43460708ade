import Foundation
import ParleyClient
import ParleyJSON
import ParleyModel
import ParleyTestSupport
import Synchronization
import Testing

/// The client as an app sees it, on a server in memory and a clock that stands still.
@Suite(.timeLimit(.minutes(1))) struct ClientTests {
    let server = FakeServer()
    let clock = ManualClock()

    func client(
        _ storage: ChatConfiguration.Storage = .inMemory, _ change: (inout ChatConfiguration) -> Void = { _ in }
    ) throws -> ChatClient {
        var configuration = ChatConfiguration(
            server: try #require(URL(string: "http://127.0.0.1:1")), storage: storage, transport: server, clock: clock
        ) { _ in .bearer("token") }
        configuration.pageSize = 10
        configuration.windowLimit = 30
        configuration.seed = 1
        change(&configuration)
        return try ChatClient(configuration: configuration)
    }

    func connected(
        _ storage: ChatConfiguration.Storage = .inMemory, _ change: (inout ChatConfiguration) -> Void = { _ in }
    ) async throws -> ChatClient {
        let client = try client(storage, change)
        await client.start()
        await wait(client, for: .connected)
        return client
    }

    /// The first update that has what a test waits for.
    func first(
        _ collection: MessageCollection, where isWanted: (ChatUpdate<ChatMessage>) -> Bool
    ) async throws -> ChatUpdate<ChatMessage> {
        for await update in collection where isWanted(update) { return update }
        throw TimedOut("update", after: .zero)
    }

    func wait(_ client: ChatClient, for state: ConnectionState) async {
        for await current in client.states where current == state { return }
    }

    @Test("a client shows the newest page, and what comes")
    func live() async throws {
        server.post("old", count: 25)
        let client = try await connected()
        let messages = await client.messages(in: "t")
        let page = try await first(messages) { $0.items.count >= 10 }
        #expect(page.items.last?.seq == 25 && page.hasOlder && !page.hasNewer)
        server.post("new")
        let next = try await first(messages) { $0.items.last?.text == "new" }
        #expect(next.items.last?.state == .stored && next.items.last?.senderName == "b")
    }

    @Test("a send is shown at once, and confirmed later, under the same id")
    func send() async throws {
        let client = try await connected()
        let messages = await client.messages(in: "t")
        let sent = try await client.send("Hello", to: "t")
        #expect(sent.state == .pending && sent.senderName == "alice")
        let shown = try await first(messages) { $0.items.first?.state == .stored }
        #expect(shown.items.map(\.id) == [sent.id] && shown.items.first?.seq == 1)
        #expect(await client.unconfirmedCount == 0)
    }

    @Test("what is sent without a connection is sent once when there is one, in order")
    func offline() async throws {
        let client = try await connected()
        server.cut()
        for await state in client.states { if case .offline = state { break } }
        let messages = await client.messages(in: "t")
        for number in 1...5 { try await client.send("\(number)", to: "t") }
        #expect(await messages.current().items.map(\.state) == Array(repeating: .pending, count: 5))
        server.restore()
        await client.networkChanged()
        _ = try await first(messages) { $0.items.count == 5 && $0.items.allSatisfy { $0.state == .stored } }
        #expect(server.texts == ["1", "2", "3", "4", "5"])
    }

    @Test("changes of a message that has no id yet are shown on that message only")
    func pendingChanges() async throws {
        let client = try await connected()
        server.state.withLock { $0.isMute = true }
        let one = try await client.send("one", to: "t")
        _ = try await eventually { self.server.texts == ["one"] }
        try await client.send("two", to: "t")
        try await client.edit(one.id, in: "t", text: "better")
        try await client.react("👍", to: one.id, in: "t")
        let shown = await client.messages(in: "t").current().items
        #expect(shown.map(\.text) == ["better", "two"])
        #expect(shown.map(\.pendingChange) == [.edit, nil])
    }

    @Test("the user's own message can be changed by its id when no collection shows it and others came after it")
    func changeOfHidden() async throws {
        let client = try await connected()
        let one = try await client.send("one", to: "t")
        #expect(try await eventually { await client.unconfirmedCount == 0 })
        server.post("later")
        #expect(try await eventually { await client.thread("t")?.lastMessage?.text == "later" })
        try await client.edit(one.id, in: "t", text: "better")
        let edited = try await eventually {
            self.server.state.withLock { $0.commands.last?["edit"]?["message_id"]?.text == "m1" }
        }
        #expect(edited)
    }

    @Test("a process that dies after the server has accepted a send leaves it once in history")
    func death() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/chat.db"
        server.post("old", count: 3)
        var running: ChatClient? = try client(.file(path))
        await running?.start()
        if let running {
            await wait(running, for: .connected)
            server.state.withLock { $0.isMute = true }
            try await running.send("one", to: "t")
            try await running.send("two", to: "t")
            _ = try await eventually { self.server.texts.contains("one") }
            await running.shutDown()
        }
        running = nil
        server.state.withLock { $0.isMute = false }
        let next = try client(.file(path))
        let messages = await next.messages(in: "t")
        #expect(await messages.current().items.map(\.text) == ["one", "two"])
        await next.start()
        _ = try await first(messages) {
            $0.items.map(\.text).suffix(2) == ["one", "two"] && $0.items.last?.state == .stored
        }
        #expect(try await eventually { await next.unconfirmedCount == 0 })
        #expect(server.texts.filter { $0 != "old" } == ["one", "two"])
    }

    @Test("a client opens offline with what it had")
    func opensOffline() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/chat.db"
        server.post("old", count: 12)
        let first = try client(.file(path))
        await first.start()
        await wait(first, for: .connected)
        _ = try await self.first(await first.messages(in: "t")) { $0.items.count == 10 }
        await first.shutDown()
        server.cut()
        let second = try client(.file(path))
        #expect(await second.threads().current().map(\.title) == ["T"])
        let update = await second.messages(in: "t").current()
        #expect(update.items.count == 10 && update.items.last?.seq == 12)
        let state = await second.state
        #expect(await second.user?.username == "alice")
        #expect(state == .offline(until: nil))
    }

    @Test("a window moves both ways, holds a bounded number, and follows the end again")
    func paging() async throws {
        server.post("x", count: 100)
        let client = try await connected()
        let messages = await client.messages(in: "t")
        _ = try await first(messages) { $0.items.count >= 10 }
        while try await messages.loadOlder() {}
        var update = await messages.current()
        #expect(update.items.first?.seq == 1 && update.items.count == 30 && !update.hasOlder && update.hasNewer)
        server.post("new")
        while try await messages.loadNewer() {}
        update = await messages.current()
        #expect(update.items.last?.seq == 101 && update.items.count == 30 && update.hasOlder && !update.hasNewer)
        try await messages.jump(toSeq: 50)
        update = await messages.current()
        #expect(update.items.contains { $0.seq == 50 } && update.hasOlder && update.hasNewer)
        await messages.jumpToNewest()
        #expect(await messages.current().items.last?.seq == 101)
    }

    @Test("differences lead from each snapshot to the next")
    func differences() async throws {
        let client = try await connected()
        let messages = await client.messages(in: "t")
        var shown: [ChatMessage] = []
        try await client.send("one", to: "t")
        server.post("two")
        for await update in messages {
            for offset in update.changes.removed { shown.remove(at: offset) }
            for offset in update.changes.inserted { shown.insert(update.items[offset], at: offset) }
            for offset in update.changes.updated { shown[offset] = update.items[offset] }
            #expect(shown == update.items)
            if shown.count == 2, shown.allSatisfy({ $0.state == .stored }) { break }
        }
        #expect(Set(shown.map(\.text)) == ["one", "two"])
    }

    @Test("the cache is bounded: the oldest messages of the quietest threads go, and windows stay whole")
    func cacheLimit() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/chat.db"
        let storage = try SQLiteStorage(path: path)
        for (index, thread) in ["old", "young"].enumerated() {
            let messages = try (1...40).map { seq in
                StoreChange.message(
                    try #require(StoredMessage(try JSONTree(parsing: MachineHarness.message(seq, in: thread)))))
            }
            var record = ThreadRecord(
                .init(
                    id: thread, title: thread, kind: .room, role: .member, epoch: "e", seq: 40, unread: 0, readSeq: 40))
            record.hasCache = true
            record.activity = Int64(index)
            try storage.apply(messages + [.range(thread: thread, from: 1, to: 40), .thread(record)])
        }
        storage.close()
        server.state.withLock { state in
            state.otherThreads = ["old", "young"].map { FakeServer.thread($0, seq: 40) }
        }
        let client = try await connected(.file(path)) { $0.cacheLimit = 80 }
        let shown = await client.messages(in: "t")
        server.post("x", count: 5)
        server.post("last")
        _ = try await first(shown) { $0.items.last?.text == "last" }
        let quiet = await client.messages(in: "old")
        var update = await quiet.current()
        #expect(update.items.compactMap(\.seq) == Array(31...40) && update.hasOlder)
        #expect(await shown.current().items.count == 6)
        await client.shutDown()
        let kept = try SQLiteStorage(path: path)
        let counts = try kept.cachedCounts()
        #expect(counts.values.reduce(0, +) <= 80 && counts["young"] == 40)
        #expect(try kept.range(in: "old", containing: 40)?.upperBound == 40)
        #expect(try kept.load().threads.first { $0.id == "old" }?.seq == 40)
        update = await quiet.current()
        #expect(update.items.isEmpty)
    }

    @Test("joins, leaves, titles and roles are notices between the messages, live and from the history")
    func notices() async throws {
        let (alice, bob) = (FakeServer.alice.id, User(id: FakeServer.bob.id, name: "bob"))
        server.append(.joined(bob, by: alice))
        server.appendUnknown()
        server.post("x", count: 2)
        let client = try await connected()
        let messages = await client.messages(in: "t")
        var update = try await first(messages) { $0.items.count == 2 && !$0.notices.isEmpty }
        #expect(update.notices.map(\.kind) == [.joined(ChatUser(id: "b", username: "bob"))])
        #expect(update.notices.first?.byUserID == "a" && update.notices.first?.seq == 1)
        server.append(.renamed(title: "New", by: alice))
        server.append(.role(bob.id, .moderator, by: alice))
        update = try await first(messages) { $0.notices.count == 3 }
        #expect(update.notices.last?.kind == .roleChanged(userID: "b", role: .moderator) && update.items.count == 2)
        #expect(await client.thread("t")?.title == "New")
    }

    @Test("what breaks a limit is refused at once")
    func limits() async throws {
        let client = try client()
        await #expect(throws: ChatError.unknown("no thread t is known")) { try await client.send("x", to: "t") }
        await client.start()
        await wait(client, for: .connected)
        await #expect(throws: ChatError.self) { try await client.send("", to: "t") }
        await #expect(throws: ChatError.self) {
            try await client.send(String(repeating: "x", count: 4097), to: "t")
        }
        let parts = Array(repeating: ChatPart.text("x"), count: 11)
        await #expect(throws: ChatError.self) { try await client.send(ChatDraft("", parts: parts), to: "t") }
    }

    @Test("the first page arrives although the server refuses it at first, and is asked for once at a time")
    func refusedPage() async throws {
        server.post("old", count: 25)
        server.state.withLock { $0.refusedHistories = 3 }
        let client = try await connected()
        let messages = await client.messages(in: "t")
        let isShown = try await eventually {
            self.clock.advance(by: .milliseconds(100))
            return await messages.current().items.count >= 10
        }
        #expect(isShown)
        #expect(server.state.withLock { $0.commands.count { $0["history"] != nil } } == 4)
        #expect(server.state.withLock { $0.connects } == 1)
    }

    @Test("the list of threads is loaded although the server refuses it at first")
    func refusedListing() async throws {
        server.post("old", count: 3)
        server.state.withLock { $0.refusedListings = 2 }
        let client = try await connected()
        let isShown = try await eventually {
            self.clock.advance(by: .seconds(1))
            return await client.thread("t")?.lastMessage?.text == "old"
        }
        #expect(isShown)
    }

    @Test("the list of threads that a refusal or a cut has lost is loaded on the next connection")
    func lostListing() async throws {
        server.post("old", count: 3)
        server.state.withLock { $0.refusedListings = 1 }
        let client = try client()
        await client.start()
        #expect(try await eventually { self.server.state.withLock { $0.listings == 1 } })
        server.cut()
        for await state in client.states { if case .offline = state { break } }
        server.restore()
        await client.networkChanged()
        #expect(try await eventually { await client.thread("t")?.lastMessage?.text == "old" })
    }

    @Test("a thread that is added while the list is loaded is asked for afterwards")
    func listingWhileListing() async throws {
        server.post("old", count: 3)
        server.state.withLock { $0.isHoldingListings = true }
        let client = try client()
        await client.start()
        #expect(try await eventually { self.server.state.withLock { $0.listings == 1 } })
        let added = MachineHarness.thread("u", epoch: "e", seq: 3)
        server.push(#"{"type":"thread","op":"added","thread":\#(added)}"#)
        #expect(try await eventually { await client.thread("u") != nil })
        server.releaseListings()
        #expect(try await eventually { self.server.state.withLock { $0.listings == 2 } })
    }

    @Test("live sequences end when the client is shut down, and calls fail")
    func shutDown() async throws {
        let client = try await connected()
        let ended = Task { for await _ in client.states {} }
        await client.shutDown()
        await ended.value
        await #expect(throws: ChatError.shutDown) { try await client.markRead("t") }
    }

    @Test("a client that is shut down shows its threads without its database, and takes nothing")
    func readingAfterShutDown() async throws {
        let directory = try TemporaryDirectory()
        server.post("old", count: 3)
        let client = try await connected(.file(directory.path + "/chat.db"))
        let messages = await client.messages(in: "t")
        _ = try await first(messages) { $0.items.count == 3 }
        await client.shutDown()
        #expect(await client.thread("t")?.title == "T")
        #expect(await client.threads().current().count == 1)
        #expect(await messages.current().items.isEmpty)
        await #expect(throws: ChatError.self) { try await messages.loadOlder() }
        await #expect(throws: ChatError.self) { try await client.edit("m1", in: "t", text: "x") }
    }

    @Test("a collection that is asked for after the end is empty and ends")
    func collectionAfterShutDown() async throws {
        let client = try await connected()
        await client.shutDown()
        // One that waits for ever meets the time limit.
        for await update in await client.messages(in: "t") { #expect(update.items.isEmpty) }
    }
}
