import Foundation
import ParleyClientCore
import ParleyJSON
import ParleyTestSupport
import Testing

/// The frames of docs/PROTOCOL.md, as the golden files have them.
@Suite struct CodecTests {
    private static func fixtures(_ direction: String) throws -> [(name: String, frame: JSONTree)] {
        let folder = Repository.url("Tests/Fixtures/v1")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path())
        return try files.sorted().compactMap { file in
            let tree = try JSONTree(parsing: try Repository.text("Tests/Fixtures/v1/\(file)"))
            guard tree["direction"]?.text == direction, let frame = tree["frame"] else { return nil }
            return (file, frame)
        }
    }

    @Test("every frame of the server is recognised")
    func server() throws {
        let fixtures = try Self.fixtures("server")
        #expect(fixtures.count > 30)
        for (name, frame) in fixtures {
            let read = ServerFrame(frame.json)
            #expect(read != .unknown, "\(name)")
            if case .event(let event) = read { #expect(event.content != .unknown, "\(name)") }
        }
    }

    @Test("what is not understood is skipped, and the place of an event of an unknown type counts")
    func unknown() {
        for text in ["", "[1]", "{}", #"{"type":7}"#, #"{"type":"later"}"#, #"{"type":"hello"}"#, "\u{1}"] {
            #expect(ServerFrame(Array(text.utf8)) == .unknown, "\(text)")
        }
        let frame = ServerFrame(Array(#"{"type":"pinned","thread_id":"t","epoch":"e","seq":7,"date_ms":1}"#.utf8))
        guard case .event(let event) = frame else {
            Issue.record("\(frame)")
            return
        }
        #expect(event.seq == 7 && event.content == .unknown)
    }

    @Test("periods are bounded", arguments: [Int64.max, .min, -1])
    func periods(number: Int64) {
        let longest = number > 0 ? Duration.seconds(86_400) : .zero
        let frames = [
            #"{"type":"bye","reconnect_after_ms":\#(number)}"#, #"{"type":"error","retry_after_ms":\#(number)}"#,
            #"{"type":"hello","user":{"id":"a"},"ping_interval_ms":\#(number)}"#,
        ].map { ServerFrame(Array($0.utf8)) }
        var periods: [Duration?] = []
        for frame in frames {
            switch frame {
            case .bye(let period, _): periods.append(period)
            case .error(let refusal): periods.append(refusal.retryAfter)
            case .hello(let hello): periods.append(hello.pingInterval)
            default: break
            }
        }
        #expect(periods == [longest, longest, number > 0 ? longest : .seconds(25)])
    }

    @Test("commands are those of the golden files")
    func client() throws {
        let frames = Dictionary(uniqueKeysWithValues: try Self.fixtures("client").map { ($0.name, $0.frame) })
        let commands: [(String, V1ClientCommand, Int64?)] = [
            ("message.json", .message(.init(thread: "0190a1", text: "Hello")), nil),
            (
                "message-idempotent.json",
                .message(.init(thread: "0190a1", text: "Hello, \"world\" ☃", clientID: "c-1")), 1
            ),
            (
                "message-stored.json",
                .message(.init(thread: "0190a1", text: "important", clientID: "c-2", wantsStored: true)), 2
            ),
            ("edit.json", .edit(thread: "0190a1", message: "0190b7", text: "Hello!"), 6),
            ("delete.json", .delete(thread: "0190a1", message: "0190b7"), 7),
            ("react.json", .react(thread: "0190a1", message: "0190b7", emoji: "👍", isOn: true), 8),
            ("react-off.json", .react(thread: "0190a1", message: "0190b7", emoji: "👍", isOn: false), 9),
            ("read.json", .read(thread: "0190a1", seq: 42), 10),
            ("typing.json", .typing(thread: "0190a1", isOn: true), nil),
            ("resume.json", .resume([("0190a1", "k3f9", 40), ("direct.6.0190c2.0190d4", "", 0)]), 11),
            ("resume-nothing.json", .resume([]), 12),
            ("history-before.json", .history(thread: "0190a1", before: 100, after: nil, limit: 50), 14),
            ("history-range.json", .history(thread: "0190a1", before: 100, after: 40, limit: 200), 15),
            ("watch.json", .watch(["0190c2", "0190d4"]), 18),
            ("auth.json", .auth(token: "eyJhbGciOiJIUzI1NiJ9.e30.x"), 19),
            ("ping.json", .ping(1_790_000_000_123), nil),
        ]
        for (name, command, ref) in commands {
            let frame = try JSONTree(parsing: command.json(ref: ref))
            #expect(frame == frames[name], "\(name)")
        }
    }

    @Test("parts keep their JSON, the unknown ones too")
    func parts() throws {
        let image = ChatFile(
            url: "https://files.example/1.jpg", mediaType: "image/jpeg", name: "1.jpg", size: 48_211, width: 800,
            height: 600)
        let parts: [ChatPart] = [
            .photo(image), .location(ChatLocation(latitude: 47.37, longitude: 8.54)), .text("from the tower"),
        ]
        var message = V1ClientCommand.Message(thread: "0190a1", text: "Look", clientID: "c-3")
        message.parts = parts
        let command = V1ClientCommand.message(message)
        var expected = try #require(
            try Self.fixtures("client").first { $0.name == "message-parts.json" }?.frame["message"]?["parts"])
        #expect(try JSONTree(parsing: command.json(ref: nil))["message"]?["parts"] == expected)
        expected = try JSONTree(parsing: #"{"type":"application/x-later","content":[1,{"a":null}]}"#)
        #expect(ChatPart(expected) == .other(json: expected.canonical) && ChatPart(expected).json == expected)
    }

    @Test("a frame without one of its fields, or with another in its place, is some frame and no crash")
    func lacking() throws {
        for (_, frame) in try Self.fixtures("server") {
            guard case .members(let members) = frame else { continue }
            for index in members.indices {
                var fewer = members
                fewer.remove(at: index)
                _ = ServerFrame(JSONTree.members(fewer).json)
                fewer.insert(JSONTree.Member(members[index].key, .array([])), at: index)
                _ = ServerFrame(JSONTree.members(fewer).json)
            }
        }
    }

    @Test(
        "a mute has an end, a reason, both or neither; null is its early end, and anything else is not understood",
        arguments: [
            (
                #"{"until_ms":1795255200123,"reason":"spam"}"#,
                .mute(thread: "t", ServerFrame.Mute(until: 1_795_255_200_123, reason: "spam"))
            ),
            (#"{"reason":"spam"}"#, .mute(thread: "t", ServerFrame.Mute(reason: "spam"))),
            ("{}", .mute(thread: "t", ServerFrame.Mute())), ("null", .mute(thread: "t", nil)),
            (
                #"{"until_ms":9223372036854775807,"reason":7}"#,
                .mute(thread: "t", ServerFrame.Mute(until: Int64.lastMilliseconds))
            ),
            ("[]", .unknown), ("true", .unknown),
        ] as [(String, ServerFrame)])
    func mutes(_ mute: String, _ frame: ServerFrame) {
        #expect(ServerFrame(Array(#"{"type":"mute","thread_id":"t","mute":\#(mute)}"#.utf8)) == frame)
        #expect(ServerFrame(Array(#"{"type":"mute","mute":\#(mute)}"#.utf8)) == .unknown)
    }

    @Test("a thread has the user's mute while there is one, and the greeting has the time of the server")
    func mutedThread() {
        let text = #"""
            {"type":"hello","user":{"id":"a"},"server_time":1795255200123,"threads":[
            {"id":"t","mute":{"until_ms":1795255300123,"reason":"spam"}},{"id":"u","mute":null},{"id":"v"}]}
            """#
        guard case .hello(let hello) = ServerFrame(Array(text.utf8)) else {
            Issue.record("no hello")
            return
        }
        #expect(hello.serverTime == 1_795_255_200_123)
        let mute = ServerFrame.Mute(until: 1_795_255_300_123, reason: "spam")
        #expect(hello.threads.map(\.mute) == [mute, nil, nil])
    }

    @Test("what a server says of left out events and of a resume is read whole")
    func ranges() {
        let behind = ServerFrame(Array(#"{"type":"behind","threads":{"t":{"from":43,"to":118}}}"#.utf8))
        #expect(behind == .behind(["t": 43...118]))
        let text =
            #"{"type":"resumed","ref":11,"threads":{"t":{"state":"unavailable"},"u":{"state":"page","from":1,"to":9}}}"#
        guard case .resumed(let threads, 11) = ServerFrame(Array(text.utf8)) else {
            Issue.record("not resumed")
            return
        }
        #expect(threads["t"]?.state == .unavailable && threads["t"]?.to == nil)
        #expect(threads["u"]?.state == .page && threads["u"]?.to == 9)
    }
}
