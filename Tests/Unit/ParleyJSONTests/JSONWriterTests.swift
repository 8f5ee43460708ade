import ParleyJSON
import Testing

@Suite struct JSONWriterTests {
    @Test("commas are between values and nowhere else")
    func putsCommas() {
        var writer = JSONWriter(capacity: 0)
        writer.beginObject()
        writer.member("a", 1)
        writer.key("b")
        writer.beginArray()
        writer.beginArray()
        writer.endArray()
        writer.integer(-5)
        writer.null()
        writer.beginObject()
        writer.endObject()
        writer.raw("[0]")
        writer.endArray()
        writer.key(escaping: "c\"")
        writer.bool(true)
        writer.member("d", "x")
        writer.member("e", false)
        writer.endObject()
        #expect(writer.text == #"{"a":1,"b":[[],-5,null,{},[0]],"c\"":true,"d":"x","e":false}"#)
    }

    @Test(
        "only required escapes are written",
        arguments: [
            ("", #""""#), ("plain", #""plain""#), ("\"\\", #""\"\\""#), ("\u{8}\t\n\u{C}\r", #""\u0008\t\n\u000c\r""#),
            ("\0\u{1}\u{F}\u{10}\u{1F}", #""\u0000\u0001\u000f\u0010\u001f""#),
            ("/\u{7F}é\u{2028}👍", "\"/\u{7F}é\u{2028}👍\""),
            ("a\nb\nc", #""a\nb\nc""#),
        ])
    func escapes(text: String, json: String) {
        var writer = JSONWriter(capacity: 0)
        writer.string(text)
        #expect(writer.bytes == Array(json.utf8))
    }

    @Test("the bounds of the number range are written", arguments: [Int64.min, -1, 0, Int64.max])
    func writesIntegers(value: Int64) {
        var writer = JSONWriter(capacity: 0)
        writer.integer(value)
        #expect(writer.text == "\(value)")
    }

    @Test(
        "doubles round-trip; non-finite ones become null",
        arguments: [
            (0.1, "0.1"), (100, "100.0"), (-1e300, "-1e+300"), (.nan, "null"),
            (.infinity, "null"), (-.infinity, "null"),
        ] as [(Double, String)])
    func writesDoubles(value: Double, json: String) {
        var writer = JSONWriter(capacity: 0)
        writer.number(value)
        #expect(writer.text == json)
    }

    @Test("trees, objects and arrays by closures, and lines are combined")
    func composes() throws {
        var writer = JSONWriter(capacity: 0)
        for line in 1...2 {
            writer.object { json in
                json.member("line", Int64(line))
                json.key("values")
                json.array([JSONTree.null, .number(0.5), .object(["b": .text("\u{1}"), "a": .bool(true), "c": nil])]) {
                    $0.tree($1)
                }
            }
            writer.endLine()
        }
        let values = #"[null,0.5,{"a":true,"b":"\u0001"}]"#
        #expect(writer.text == "{\"line\":1,\"values\":\(values)}\n{\"line\":2,\"values\":\(values)}\n")
        #expect(writer.count == writer.bytes.count)
    }
}

extension JSONWriter {
    fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }
}
