import Foundation
import ParleyClient
import ParleyJSON
import ParleyModel
import ParleyTestSupport
import Synchronization
import Testing

/// What is counted, and what is kept within bounds.
extension ClientTests {
    @Test("what a thread has pending is counted until it is confirmed or refused")
    func pendingCount() async throws {
        server.state.withLock { $0.otherThreads = [FakeServer.thread("u")] }
        let client = try await connected()
        server.state.withLock { $0.isMute = true }
        let one = try await client.send("one", to: "t")
        #expect(try await eventually { self.server.texts == ["one"] })
        try await client.send("two", to: "t")
        try await client.react("👍", to: one.id, in: "t")
        #expect(await client.pendingCount(in: "t") == 3)
        #expect(await client.pendingCount(in: "u") == 0)
        let ref = server.state.withLock { $0.commands.last { $0["message"] != nil }?["ref"]?.integer ?? 0 }
        server.push(#"{"type":"error","ref":\#(ref),"code":"forbidden","message":"no","retryable":false}"#)
        #expect(try await eventually { self.server.texts == ["one", "two"] })
        // The refused one is left, and the reaction to it waits for its next attempt.
        #expect(await client.unconfirmedCount == 3)
        #expect(await client.pendingCount(in: "t") == 2)
    }

    @Test("dates beyond all bounds, of a server or of an app, are kept within them", arguments: [Int64.max, .min])
    func dates(number: Int64) async throws {
        let directory = try TemporaryDirectory()
        let client = try await connected(.file(directory.path + "/chat.db"))
        let messages = await client.messages(in: "t")
        let bound = Date(timeIntervalSince1970: number > 0 ? 253_402_300_799 : 0)
        let fields = [#""date_ms":\#(number)"#, #""date":\#(number)"#]
        for (index, date) in fields.enumerated() {
            server.push(
                """
                {"type":"message","thread_id":"t","epoch":"e","seq":\(index * 2 + 1),"id":"m\(index)",\(date),
                "text":"x","sender_id":"b","sender_name":"b","edited_ms":\(number)}
                """)
            server.push(
                #"{"type":"joined","thread_id":"t","epoch":"e","seq":\#(index * 2 + 2),\#(date),"user_id":"c"}"#)
        }
        server.push(#"{"type":"read","thread_id":"t","user_id":"b","read_seq":1,"date":\#(number)}"#)
        server.push(#"{"type":"presence","user_id":"b","online":false,"last_seen":\#(number)}"#)
        let update = try await first(messages) { $0.items.count == 2 && $0.notices.count == 2 }
        for date in update.items.map(\.date) + update.notices.map(\.date) {
            #expect(abs(date.timeIntervalSince(bound)) < 1)
        }
        #expect(try await eventually { await client.thread("t")?.receipts["b"]?.date == bound })
        for date in [Date(timeIntervalSince1970: .infinity), Date(timeIntervalSince1970: .nan), update.items[0].date] {
            try? await messages.jump(to: date)
        }
        await client.shutDown()
        let storage = try SQLiteStorage(path: directory.path + "/chat.db")
        #expect(try storage.load().threads.first?.receipts["b"]?.date == bound)
        #expect(try storage.notices(in: "t", from: 1, to: 9, limit: 9).count == 2)
    }

    @Test("what a thread has unconfirmed is listed with what was refused, whether a collection shows it or not")
    func unconfirmed() async throws {
        server.post("old", count: 60)
        let client = try await connected()
        server.state.withLock { $0.isMute = true }
        try await client.edit("m3", in: "t", text: "new")
        #expect(try await eventually { self.server.state.withLock { $0.commands.contains { $0["edit"] != nil } } })
        let ref = server.state.withLock { $0.commands.last { $0["edit"] != nil }?["ref"]?.integer ?? 0 }
        server.push(#"{"type":"error","ref":\#(ref),"code":"forbidden","message":"no","retryable":false}"#)
        #expect(try await eventually { await client.unconfirmed(in: "t").first?.failure != nil })
        let sent = try await client.send("one", to: "t")
        let all = await client.unconfirmed(in: "t")
        #expect(all.map(\.kind) == [.edit, .message] && all.map(\.text) == ["new", "one"])
        #expect(all.map(\.messageID) == ["m3", sent.id])
        #expect(all.map(\.failure) == [.refused(code: .forbidden, message: "no"), nil])
        #expect(await client.unconfirmed(in: "u").isEmpty)
        #expect(await client.pendingCount(in: "t") == 1)
    }

    @Test("notices count for the bound of the cache")
    func noticeLimit() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/chat.db"
        let client = try await connected(.file(path)) { $0.cacheLimit = 80 }
        server.post("first")
        for seq in 2...300 { server.append(.renamed(title: "\(seq)", by: FakeServer.alice.id)) }
        #expect(try await eventually { await client.thread("t")?.title == "300" })
        #expect(await client.thread("t")?.lastMessage?.text == "first")
        await client.shutDown()
        let kept = try SQLiteStorage(path: path)
        #expect(try kept.cachedCounts()["t"] ?? 0 <= 85 && kept.newestMessage(in: "t")?.text == "first")
    }

    @Test("a jump to a place that no log has is refused", arguments: [Int.max, .min, -1])
    func jump(seq: Int) async throws {
        server.post("x", count: 20)
        let client = try await connected()
        let messages = await client.messages(in: "t")
        await #expect(throws: ChatError.unknown("no message has the seq \(seq)")) {
            try await messages.jump(toSeq: seq)
        }
    }

    @Test("texts are as long as the server says")
    func textLimit() async throws {
        let client = try await connected()
        #expect(await client.textLimit == 4096)
        server.state.withLock { $0.limits.textScalars = 6 }
        server.cut()
        for await state in client.states { if case .offline = state { break } }
        server.restore()
        await client.networkChanged()
        #expect(try await eventually { await client.textLimit == 6 })
        await #expect(throws: ChatError.self) { try await client.send("1234567", to: "t") }
        try await client.send("123456", to: "t")
    }
}
