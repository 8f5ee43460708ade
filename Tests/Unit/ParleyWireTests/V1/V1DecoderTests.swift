import NIOCore
import ParleyModel
import ParleyWire
import Testing

@Suite struct V1DecoderTests {
    private func decode(_ json: String) throws(V1CommandError) -> V1Request {
        try V1Decoder().decode(ByteBuffer(string: json))
    }

    private func violation(of json: String) -> V1CommandError? {
        do throws(V1CommandError) {
            _ = try decode(json)
            return nil
        } catch {
            return error
        }
    }

    private static let room = ThreadID(trusted: "t1")

    @Test(
        "frames are read with unknown fields, in any order, with null for absent fields",
        arguments: [
            (
                #" { "ref" : 7 , "x" : [{"message":1}] , "message" : { "text" : "hi" , "y" : {"id":2} , "id" : "t1" } } "#,
                V1Request(ref: 7, .send(V1Send(thread: room, text: "hi")))
            ),
            (
                #"{"message":{"id":"t1","text":"hi","client_id":null,"parts":null,"reply_to":null,"ack":null},"ref":null}"#,
                V1Request(.send(V1Send(thread: room, text: "hi")))
            ),
            (#"{"edit":null,"ping":-5}"#, V1Request(.ping(-5))),
            (#"{"message":{"id":"t1","text":"hi","parts":[]}}"#, V1Request(.send(V1Send(thread: room, text: "hi")))),
            (#"{"read":{"id":"t1"}}"#, V1Request(.read(thread: room, seq: nil))),
            (#"{"read":{"id":"t1","seq":0}}"#, V1Request(.read(thread: room, seq: 0))),
            (#"{"resume":{}}"#, V1Request(.resume([:]))),
            (
                #"{"resume":{"threads":{"t1":{"seq":0}}}}"#,
                V1Request(.resume([room: Position(epoch: Epoch(""), seq: 0)]))
            ),
            (
                #"{"watch":{"users":["b","a","b"]}}"#,
                V1Request(.watch([UserID(trusted: "b"), UserID(trusted: "a")]))
            ),
            (#"{"history":{"id":"t1","limit":200}}"#, V1Request(.history(V1HistoryRequest(thread: room, limit: 200)))),
            (#"{"\u0070ing":1,"ref":-9223372036854775808}"#, V1Request(ref: .min, .ping(1))),
        ])
    func reads(json: String, request: V1Request) throws {
        #expect(try decode(json) == request)
    }

    @Test(
        "errors name the field",
        arguments: [
            (#"{"message":{"text":"hi"}}"#, "\"message\" lacks \"id\""),
            (#"{"message":{"id":"t1"}}"#, "\"message\" lacks \"text\""),
            (#"{"message":{"id":"t1","text":"\ud83d"}}"#, "\"text\": a string contains half of a surrogate pair"),
            (#"{"message":{"id":"t1","text":5}}"#, "\"text\": a string is expected"),
            (
                #"{"message":{"id":"a b","text":"hi"}}"#,
                "\"id\": not a valid id; an id has 1 to 90 characters of A-Z a-z 0-9 . _ -"
            ),
            (#"{"message":{"id":"t1","text":"hi","ack":"sent"}}"#, "\"ack\": allowed are accepted, stored"),
            (#"{"message":{"id":"t1","text":"hi","reply_to":0}}"#, "\"reply_to\": is 0; allowed is at least 1"),
            (
                #"{"message":{"id":"t1","text":"hi","reply_to":1.5}}"#,
                "\"reply_to\": a whole number of at most 64 bits is expected"
            ),
            (
                #"{"message":{"id":"t1","text":"hi","client_id":""}}"#,
                "\"client_id\": allowed are 1 to 64 characters, no NUL"
            ),
            (#"{"message":{"id":"t1","text":"hi","parts":{}}}"#, "parts are not an array"),
            (
                #"{"message":{"id":"t1","text":"hi","parts":[{}]}}"#,
                "part 0 is malformed; it has an attachment, or a type with a content or a url"
            ),
            (
                #"{"message":{"id":"t1","text":"hi","parts":[{"type":"image/png"}]}}"#,
                "part 0 is malformed; it has an attachment, or a type with a content or a url"
            ),
            (
                #"{"message":{"id":"t1","text":"hi","parts":[{"type":"text/plain"}]}}"#,
                "part 0 is malformed; it has an attachment, or a type with a content or a url"
            ),
            (#"{"message":{"id":"t1","text":"hi","text":"hi"}}"#, "\"text\" stands there twice"),
            (#"{"message":"hi"}"#, "\"message\": an object is expected"),
            (#"{"edit":{"id":"t1","text":"hi"}}"#, "\"edit\" lacks \"message_id\""),
            (#"{"delete":{"id":"t1"}}"#, "\"delete\" lacks \"message_id\""),
            (#"{"react":{"id":"t1","message_id":"m","emoji":"","on":true}}"#, "emoji is empty"),
            (#"{"react":{"id":"t1","message_id":"m","emoji":"x"}}"#, "\"react\" lacks \"on\""),
            (#"{"read":5}"#, "\"read\": an object is expected"),
            (#"{"read":{"id":"t1","seq":-1}}"#, "\"seq\": is -1; allowed is at least 0"),
            (#"{"typing":{"id":"t1","on":1}}"#, "\"on\": true or false is expected"),
            (#"{"resume":{"threads":{"t1":{"seq":1}}}}"#, "\"resume\" lacks \"epoch\""),
            (#"{"resume":{"threads":{"t1":{"epoch":"e"}}}}"#, "\"resume\" lacks \"seq\""),
            (#"{"resume":{"threads":{"t1":{"seq":0},"t1":{"seq":0}}}}"#, "\"t1\" stands there twice"),
            (#"{"history":{"id":"t1","limit":0}}"#, "\"limit\": is 0; allowed is 1 to 200"),
            (#"{"history":{"id":"t1","limit":201}}"#, "\"limit\": is 201; allowed is 1 to 200"),
            (#"{"history":{"id":"t1","before":-1}}"#, "\"before\": is -1; allowed is at least 0"),
            (#"{"join":{}}"#, "\"join\" lacks \"title\""),
            (#"{"leave":{}}"#, "\"leave\" lacks \"id\""),
            (#"{"watch":{}}"#, "\"watch\" lacks \"users\""),
            (#"{"auth":{"token":""}}"#, "\"token\": allowed are 1 to 16384 bytes"),
            (#"{"ping":"1"}"#, "\"ping\": a number is expected"),
            (#"{"ping":1,"ref":"a"}"#, "\"ref\": a number is expected"),
            (#"{"ping":1,"read":"t1"}"#, "two commands in one frame; one is allowed"),
            ("", "the JSON text ends early"),
            ("xyz", "invalid JSON at byte 0"), ("nonsense", "an object is expected"),
            ("[]", "an object is expected"),
            (#"{"ping":1}{"ping":1}"#, "one JSON text is allowed; more follows at byte 10"),
        ])
    func refuses(json: String, message: String) {
        let violation = violation(of: json)
        #expect(violation?.code == .badRequest)
        #expect(violation?.message == message)
        #expect(violation?.ref == nil)
    }

    @Test("the error for an unknown command lists the known ones, and truncates its name")
    func refusesUnknown() {
        let violation = violation(of: "{\"ref\":4,\"\(String(repeating: "é", count: 3000))\":{}}")
        #expect(violation?.code == .unknownCommand)
        #expect(violation?.ref == 4)
        let name = String(repeating: "é", count: 40)
        #expect(violation?.message.hasPrefix("unknown command \"\(name)\"; allowed are message, read, ") == true)
        for command in V1Decoder.Name.allCases { #expect(violation?.message.contains(command.rawValue) == true) }
        #expect(self.violation(of: "{}")?.code == .badRequest)
        #expect(self.violation(of: #"{"ref":1}"#)?.message.hasPrefix("no command; allowed are message") == true)
    }

    @Test(
        "the ref is found anywhere in the readable part of a frame",
        arguments: [
            (#"{"ref":9,"message":{"id":5}}"#, 9), (#"{"message":{"id":5},"ref":9}"#, 9),
            (#"{"message":{"id":5},"ref":9"#, 9), (#"{"message":{"id":5,"ref":9"#, nil),
            (#"{"ref":9.5,"ping":1}"#, nil),
            (#"[{"ref":9}]"#, nil),
        ] as [(String, Int64?)])
    func findsRef(json: String, ref: Int64?) throws {
        #expect(try #require(violation(of: json)).ref == ref)
    }

    // MARK: Bounds

    @Test(
        "the decoder does not validate texts",
        arguments: ["", "a\\u0000", String(repeating: "é", count: 5000)])
    func texts(text: String) throws {
        let sent = text.hasSuffix("u0000") ? "a\0" : text
        let send = #"{"message":{"id":"t1","text":"\#(text)"}}"#
        #expect(try decode(send).command == .send(V1Send(thread: Self.room, text: sent)))
        let edit = #"{"edit":{"id":"t1","message_id":"m","text":"\#(text)"}}"#
        #expect(
            try decode(edit).command
                == .edit(thread: Self.room, message: MessageID(trusted: "m"), text: sent))
    }

    @Test("a client_id has up to 64 characters", arguments: [(64, true), (65, false)])
    func clientIDBound(count: Int, isAllowed: Bool) {
        let id = String(repeating: "é", count: count)
        let violation = violation(of: #"{"message":{"id":"t1","text":"hi","client_id":"\#(id)"}}"#)
        #expect((violation == nil) == isAllowed)
    }

    @Test("a message has up to 10 parts", arguments: [(10, true), (11, false)])
    func partsBound(count: Int, isAllowed: Bool) {
        let parts = Array(repeating: #"{"type":"text/plain","content":"x"}"#, count: count).joined(separator: ",")
        let violation = violation(of: #"{"message":{"id":"t1","text":"","parts":[\#(parts)]}}"#)
        #expect((violation == nil) == isAllowed)
        if let violation { #expect(violation.message == "there are 11 parts; allowed are at most 10") }
    }

    @Test("500 users can be watched, each counted once", arguments: [(500, true), (501, false)])
    func watchBound(count: Int, isAllowed: Bool) {
        let users = ((0..<count) + [0, 1, 2]).map { "\"u\($0)\"" }.joined(separator: ",")
        #expect((violation(of: #"{"watch":{"users":[\#(users)]}}"#) == nil) == isAllowed)
    }

    @Test("10,000 threads can be resumed", arguments: [(10_000, true), (10_001, false)])
    func resumeBound(count: Int, isAllowed: Bool) {
        let threads = (0..<count).map { #""t\#($0)":{"epoch":"e","seq":\#($0)}"# }.joined(separator: ",")
        #expect((violation(of: #"{"resume":{"threads":{\#(threads)}}}"#) == nil) == isAllowed)
    }

    @Test("GeoJSON is made canonical, and nothing but an object is GeoJSON")
    func geo() throws {
        let request = try decode(
            #"{"message":{"id":"t1","parts":[{"content": { "type" : "Point", "coordinates" : [ 1.50, -2e3 ] },"#
                + #""type":"application/geo+json"}]}}"#)
        guard case .send(let send) = request.command, case .geo(let json)? = send.parts.first else {
            Issue.record("\(request)")
            return
        }
        #expect(json == #"{"coordinates":[1.5,-2000.0],"type":"Point"}"#)
        #expect(
            violation(of: #"{"message":{"id":"t1","parts":[{"type":"application/geo+json","content":[1]}]}}"#) != nil)
    }

    @Test(
        "the bounds of a page follow from the head",
        arguments: [
            (nil, nil, 30, 100, 70, 100), (nil, nil, 30, 10, 0, 10), (nil, nil, 30, 0, 0, 0),
            (50, nil, 10, 100, 39, 49),
            (1, nil, 10, 100, 0, 0), (0, nil, 10, 100, 0, 0), (1000, nil, 10, 100, 90, 100), (nil, 0, 10, 100, 0, 10),
            (nil, 95, 10, 100, 95, 100), (nil, 100, 10, 100, 100, 100), (nil, Int64.max, 200, 100, 100, 100),
            (61, 40, 200, 100, 40, 60), (61, 40, 5, 100, 40, 45), (41, 40, 5, 100, 40, 40), (10, 40, 5, 100, 40, 40),
        ] as [(Int64?, Int64?, Int64, Int64, Int64, Int64)])
    func historyBounds(before: Int64?, after: Int64?, limit: Int64, head: Int64, from: Int64, through: Int64) {
        let request = V1HistoryRequest(thread: Self.room, before: before, after: after, limit: limit)
        #expect(request.bounds(head: head) == (from, through))
    }
}
