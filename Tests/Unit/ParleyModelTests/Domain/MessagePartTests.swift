import ParleyJSON
import ParleyModel
import Testing

@Suite("Message parts")
struct MessagePartTests {
    private static let image = #"{"type":"image/png","url":"https://example.org/a.png"}"#

    @Test("are read back as written")
    func roundTrip() throws {
        let parts: [MessagePart] = [
            .text("hi \"there\""), .geo(json: #"{"coordinates":[1.5,2],"type":"Point"}"#),
            .media(
                MediaPart(
                    type: "video/mp4", url: "/v", name: "é", size: 0, width: 1, height: 2, durationMilliseconds: 1 << 53
                )),
            .media(MediaPart(type: "application/x.y+json", url: "u")),
        ]
        let json = MessagePart.json(parts)
        #expect(try MessagePart.parts(JSONTree(parsing: json)) == parts)
        #expect(MessagePart.json([]) == "[]")
    }

    @Test("an attachment needs nothing but its id, and is filled in from its row")
    func attachment() throws {
        let json = #"[{"attachment":"f1","url":"x y","duration_ms":5,"width":9,"height":8}]"#
        let parts = try MessagePart.parts(JSONTree(parsing: json))
        guard case .media(let media)? = parts.first else {
            Issue.record("\(parts)")
            return
        }
        #expect(parts.first?.attachment?.text == "f1")
        let id = AttachmentID(trusted: "f1")
        var row = ParleyModel.Attachment(
            id: id, owner: UserID(trusted: "u"), name: "a.mp4", type: "video/mp4", size: 7, created: 1)
        let filled = MediaPart(
            type: "video/mp4", url: "/v1/attachments/f1", name: "a.mp4", size: 7, width: 9, height: 8,
            durationMilliseconds: 5, attachment: id)
        #expect(row.filling(media) == filled)
        #expect(filled.violation == nil)
        #expect(try MessagePart.parts(JSONTree(parsing: MessagePart.json([.media(filled)]))) == [.media(filled)])
        row.dimensions = ImageDimensions(width: 1, height: 2)
        #expect(row.filling(media).width == 1)
        for invalid in [#"[{"attachment":"a/b"}]"#, #"[{"attachment":1}]"#, #"[{"attachment":""}]"#] {
            #expect(throws: InvalidMessagePart.self) { try MessagePart.parts(JSONTree(parsing: invalid)) }
        }
    }

    @Test("unknown fields and nulls are ignored")
    func unknown() throws {
        let json =
            #"[{"type":"image/png","url":"u","name":null,"blurhash":[1]},{"type":"text/plain","content":"a","x":1}]"#
        let parts = try MessagePart.parts(JSONTree(parsing: json))
        #expect(parts == [.media(MediaPart(type: "image/png", url: "u")), .text("a")])
    }

    @Test(
        "invalid parts are rejected",
        arguments: [
            "{}", "[1]", "[{}]", #"[{"type":"image/png"}]"#, #"[{"type":"text/plain"}]"#,
            #"[{"type":"text/plain","content":1}]"#, #"[{"type":"text/plain","content":""}]"#,
            #"[{"type":"application/geo+json","content":"{}"}]"#, #"[{"type":"application/geo+json","content":[1]}]"#,
            #"[{"type":"image","url":"u"}]"#,
            #"[{"type":"image/","url":"u"}]"#, #"[{"type":"a/b/c","url":"u"}]"#, #"[{"type":"Image/PNG","url":"u"}]"#,
            #"[{"type":"image/png; q=1","url":"u"}]"#, #"[{"type":"image/png","url":""}]"#,
            #"[{"type":"image/png","url":"a b"}]"#, #"[{"type":"image/png","url":"u","size":-1}]"#,
            #"[{"type":"image/png","url":"u","size":1.5}]"#, #"[{"type":"image/png","url":"u","width":"1"}]"#,
            #"[{"type":"image/png","url":"u","name":""}]"#, #"[{"type":"image/png","url":"u","name":"a\nb"}]"#,
        ])
    func refused(_ json: String) {
        let error = #expect(throws: InvalidMessagePart.self) { try MessagePart.parts(JSONTree(parsing: json)) }
        #expect(error?.description.isEmpty == false)
    }

    @Test("limits hold exactly at the bound")
    func bounds() throws {
        func read(_ json: String) throws -> Int { try MessagePart.parts(JSONTree(parsing: json)).count }
        func list(_ count: Int) -> String {
            "[" + Array(repeating: Self.image, count: count).joined(separator: ",") + "]"
        }
        #expect(try read(list(10)) == 10)
        #expect(throws: InvalidMessagePart.self) { try read(list(11)) }
        func media(url: Int = 1, name: Int = 1, type: Int = 7) -> String {
            let type = "image/" + String(repeating: "p", count: type - 6)
            return #"[{"type":"\#(type)","url":"\#(String(repeating: "u", count: url))","#
                + #""name":"\#(String(repeating: "n", count: name))"}]"#
        }
        #expect(try read(media(url: 2048, name: 255, type: 127)) == 1)
        for json in [media(url: 2049), media(name: 256), media(type: 128)] {
            #expect(throws: InvalidMessagePart.self) { try read(json) }
        }
        func geo(_ bytes: Int) -> String {
            // {"a":"…"} takes another 8 bytes.
            #"[{"type":"application/geo+json","content":{"a":"\#(String(repeating: "g", count: bytes - 8))"}}]"#
        }
        #expect(try read(geo(MessagePart.maximumGeoBytes)) == 1)
        #expect(throws: InvalidMessagePart.self) { try read(geo(MessagePart.maximumGeoBytes + 1)) }
    }

    @Test("parts make contents distinct even if the texts look alike")
    func content() {
        func message(_ text: String, _ parts: [MessagePart] = [], _ replyTo: Int64? = nil) -> Message {
            Message(
                id: MessageID(trusted: "m"), sender: User(id: UserID(trusted: "u"), name: "u"), text: text,
                parts: parts,
                replyTo: replyTo)
        }
        let contents = [
            message("a"), message("a", [], 1), message("a", [], 2), message("a", [.text("b")]),
            message("a", [.text("c")]),
            message("a", [.text("b")], 1), message("b"),
        ]
        #expect(Set(contents.map(\.content)).count == contents.count)
        #expect(contents[0].content == "a")
    }

    @Test(
        "an emoji is one word without spaces",
        arguments: [
            ("👍", true), ("👩‍👩‍👧‍👦", true), (":wave:", true), (String(repeating: "x", count: 64), true), ("", false),
            (" ", false),
            ("a b", false), ("a\n", false), (String(repeating: "x", count: 65), false), ("\u{0}", false),
        ])
    func emoji(_ emoji: String, _ isAllowed: Bool) {
        #expect((Reaction.violation(inEmoji: emoji) == nil) == isAllowed)
    }
}
