import NIOCore
import ParleyWire
import Testing

@Suite struct JSONWriterTests {
    @Test("commas stand between values and nowhere else")
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
        writer.raw(ByteBuffer(string: "[0]"))
        writer.endArray()
        writer.key(escaping: "c\"")
        writer.bool(true)
        writer.member("d", "x")
        writer.member("e", false)
        writer.endObject()
        #expect(writer.bytes.text == #"{"a":1,"b":[[],-5,null,{},[0]],"c\"":true,"d":"x","e":false}"#)
    }

    @Test(
        "what must be escaped is, and nothing else",
        arguments: [
            ("", #""""#), ("plain", #""plain""#), ("\"\\", #""\"\\""#), ("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#),
            ("\0\u{1}\u{F}\u{10}\u{1F}", #""\u0000\u0001\u000f\u0010\u001f""#),
            ("/\u{7F}é\u{2028}👍", "\"/\u{7F}é\u{2028}👍\""),
            ("a\nb\nc", #""a\nb\nc""#),
        ])
    func escapes(text: String, json: String) {
        var writer = JSONWriter(capacity: 0)
        writer.string(text)
        #expect(writer.bytes.array == Array(json.utf8))
    }

    @Test("the ends of the number range are written", arguments: [Int64.min, -1, 0, Int64.max])
    func writesIntegers(value: Int64) {
        var writer = JSONWriter(capacity: 0)
        writer.integer(value)
        #expect(writer.bytes.text == "\(value)")
    }
}
