import Foundation
import ParleyClient
import ParleyJSON
import Synchronization
import Testing

/// The user's own mutes: what the server reports of them, and their ends.
@Suite struct MuteTests {
    private typealias H = MachineHarness

    /// The clock of the harness at its uptime 0, in milliseconds since 1970.
    private static let start: Int64 = 1_795_255_200_000

    private static func thread(_ id: String, mute: String?) -> String {
        let field = mute.map { ",\"mute\":\($0)" } ?? ""
        return String(H.thread(id, epoch: "e", seq: 0).dropLast()) + field + "}"
    }

    private static func mute(_ seconds: Int64, reason: String = "spam") -> String {
        #"{"until_ms":\#(start + seconds * 1000),"reason":"\#(reason)"}"#
    }

    private static func frame(_ mute: String, in thread: String = "t") -> String {
        #"{"type":"mute","thread_id":"\#(thread)","mute":\#(mute)}"#
    }

    /// Connects as `alice`, a member of `t`.
    /// - Parameters:
    ///   - ahead: By how many seconds the server's clock is ahead of this device's.
    ///   - hasMore: Whether hello does not list all threads.
    private func connect(_ client: inout H, mute: String? = nil, ahead: Int64 = 0, hasMore: Bool = false) {
        client.handle(.start)
        client.handle(.opened)
        let time = Self.start + (client.uptime.components.seconds + ahead) * 1000
        client.receive(
            """
            {"type":"hello","protocol":2,"user":{"id":"a","username":"alice"},"ping_interval_ms":25000,
            "server_time":\(time),"threads":[\(Self.thread("t", mute: mute))],"more":\(hasMore)}
            """)
    }

    private func stored(_ client: H, _ thread: String = "t") -> ServerFrame.Mute? {
        client.storage.load().threads.first { $0.id == thread }?.mute
    }

    @Test("a mute begins, changes and is ended by frames, which are stored; one of an unknown thread is not")
    func frames() {
        var client = H()
        connect(&client)
        #expect(stored(client) == nil)
        for (text, mute) in [
            (Self.mute(600), ServerFrame.Mute(until: Self.start + 600_000, reason: "spam")),
            (#"{"reason":"more spam"}"#, ServerFrame.Mute(reason: "more spam")), ("{}", ServerFrame.Mute()),
            ("null", nil),
        ] as [(String, ServerFrame.Mute?)] {
            let output = client.receive(Self.frame(text))
            #expect(output.isListChanged)
            #expect(client.core.threads["t"]?.mute == mute && stored(client) == mute)
        }
        let repeated = client.receive(Self.frame("null"))
        let foreign = client.receive(Self.frame("{}", in: "x"))
        #expect(!repeated.isListChanged && repeated.changes.isEmpty && foreign.changes.isEmpty)
        #expect(client.core.threads["x"] == nil)
    }

    @Test("a thread that is added has its mute")
    func added() {
        var client = H()
        connect(&client)
        client.receive(#"{"type":"thread","op":"added","thread":\#(Self.thread("u", mute: "{}"))}"#)
        #expect(client.core.threads["u"]?.mute == ServerFrame.Mute())
        client.receive(#"{"type":"thread","op":"added","thread":\#(Self.thread("u", mute: nil))}"#)
        #expect(client.core.threads["u"]?.mute == nil)
    }

    @Test("a mute ends at its time, by the clock of the server", arguments: [0, 100, -100] as [Int64])
    func end(ahead: Int64) {
        var client = H()
        connect(&client, mute: Self.mute(600), ahead: ahead)
        client.uptime = .seconds(599 - ahead)
        let early = client.handle(.tick)
        #expect(!early.isListChanged && stored(client)?.reason == "spam")
        client.uptime = .seconds(600 - ahead)
        let due = client.handle(.tick)
        #expect(due.isListChanged && stored(client) == nil && client.core.mutes.earliestEnd == nil)
    }

    @Test("each of several mutes ends at its own time")
    func ends() {
        var client = H()
        connect(&client, mute: Self.mute(600))
        client.receive(#"{"type":"thread","op":"added","thread":\#(Self.thread("u", mute: Self.mute(60)))}"#)
        client.receive(#"{"type":"thread","op":"added","thread":\#(Self.thread("v", mute: "{}"))}"#)
        var muted: [[String]] = []
        for seconds: Int64 in [59, 60, 599, 600] {
            client.uptime = .seconds(seconds)
            client.handle(.tick)
            muted.append(client.core.threads.values.filter { $0.mute != nil }.map(\.id).sorted())
        }
        #expect(muted == [["t", "u", "v"], ["t", "v"], ["t", "v"], ["v"]])
    }

    @Test("a mute is known after a restart, until its end or until hello says otherwise")
    func restart() throws {
        var client = H()
        connect(&client, mute: Self.mute(600))
        var next = H(storage: client.storage)
        next.core.restore(client.storage.load())
        let record = try #require(next.core.threads["t"])
        for (seconds, isMuted) in [(599, true), (600, false)] as [(Int64, Bool)] {
            let now = Now(uptime: .zero, milliseconds: Self.start + seconds * 1000)
            #expect((next.core.mute(of: record, at: now) != nil) == isMuted)
        }
        connect(&next)
        #expect(next.core.threads["t"]?.mute == nil && stored(next) == nil)
        client.handle(.closed(code: nil))
        client.uptime = .seconds(60)
        client.handle(.tick)
        connect(&client, mute: Self.mute(900, reason: "again"))
        #expect(stored(client) == ServerFrame.Mute(until: Self.start + 900_000, reason: "again"))
    }

    @Test("the client looks at the clock once a day, however far away the end of a mute is")
    func farEnd() {
        let storage = MemoryStorage()
        let fields = ServerFrame.ThreadFields(
            id: "t", title: "T", kind: .room, role: .member, epoch: "e", seq: 0, unread: 0, readSeq: 0,
            mute: ServerFrame.Mute(until: 253_402_300_799_999))
        storage.apply([.thread(ThreadRecord(fields))])
        var client = H(storage: storage)
        client.core.restore(storage.load())
        client.uptime = .seconds(5)
        client.handle(.stop)
        #expect(client.core.deadline == .seconds(5 + 86_400))
    }

    @Test("REST reports the mutes of threads that the connection has not reported, and undoes no newer report")
    func rest() throws {
        var client = H()
        connect(&client, mute: "{}", hasMore: true)
        func fields(_ thread: String, _ mute: String?) throws -> ServerFrame.ThreadFields {
            try #require(ServerFrame.ThreadFields(try JSONTree(parsing: Self.thread(thread, mute: mute))))
        }
        let older = try [fields("t", nil), fields("u", "{}")]
        client.handle(.listed(older))
        #expect(client.core.threads["t"]?.mute != nil && client.core.threads["u"]?.mute != nil)
        client.handle(.listed([try fields("u", nil)]))
        #expect(stored(client, "u") == nil)
        client.handle(.listed(older))
        client.receive(Self.frame("null", in: "u"))
        client.handle(.listed(older))
        #expect(stored(client, "u") == nil && stored(client, "t") != nil)
    }

    @Test("a muted user's typing is not sent")
    func typing() {
        var client = H()
        connect(&client, mute: "{}")
        client.handle(.typing(thread: "t", isOn: true))
        #expect(!client.commands.contains { $0["typing"] != nil })
        client.receive(Self.frame("null"))
        client.handle(.typing(thread: "t", isOn: true))
        #expect(client.commands.contains { $0["typing"] != nil })
    }

    @Test(
        "durations are sent in whole seconds, rounded up",
        arguments: [
            (.zero, 0), (.seconds(1), 1), (.milliseconds(1), 1), (.milliseconds(1001), 2), (.seconds(600), 600),
            (.nanoseconds(59_999_999_999), 60), (.milliseconds(-1500), -1), (.seconds(Int64.max), .max),
            (.seconds(Int64.max) + .milliseconds(1), .max),
        ] as [(Duration, Int64)])
    func durations(_ duration: Duration, _ seconds: Int64) {
        #expect(duration.wholeSeconds == seconds)
    }
}

extension ClientTests {
    @Test("mutes and bans are read page by page, those of an unknown kind too")
    func sanctions() async throws {
        let client = try client()
        let sanctions = try await client.sanctions(in: "t")
        let bob = ChatUser(id: "b", username: "bob")
        let since = Date(timeIntervalSince1970: 7)
        #expect(
            sanctions == [
                ChatSanction(
                    threadID: "t", user: bob, kind: .mute, since: since, until: Date(timeIntervalSince1970: 9),
                    reason: "spam", byUserID: "a"),
                ChatSanction(threadID: "t", user: bob, kind: .other, since: since),
            ])
        #expect(Set(sanctions.map(\.id)).count == 2)
        let urls = server.state.withLock { $0.requests.map(\.url) }
        #expect(urls.first?.hasSuffix("/v1/threads/t/sanctions?limit=200") == true)
        #expect(urls.last?.hasSuffix("/v1/threads/t/sanctions?limit=200&cursor=mute.b") == true)
    }

    @Test("a mute that the server reports is shown in the list of threads, and ends there by itself")
    func muted() async throws {
        let client = try await connected()
        // The clock of the server is the time of its hello.
        server.push(#"{"type":"mute","thread_id":"t","mute":{"until_ms":1795255210123,"reason":"spam"}}"#)
        for await update in client.threads() where update.items.first?.mute != nil { break }
        let mute = await client.thread("t")?.mute
        #expect(mute?.reason == "spam")
        #expect(mute?.until.map { abs($0.timeIntervalSince1970 - 1_795_255_210.123) < 0.001 } == true)
        clock.advance(by: .seconds(9))
        #expect(await client.thread("t")?.mute != nil)
        clock.advance(by: .seconds(2))
        for await update in client.threads() where update.items.first?.mute == nil { break }
    }
}
