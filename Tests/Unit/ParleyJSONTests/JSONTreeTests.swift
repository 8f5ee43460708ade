import ParleyJSON
import ParleyTestSupport
import Testing

@Suite("Canonical JSON")
struct JSONTreeTests {
    @Test(
        "has one text for each value",
        arguments: [
            ("null", "null"), (" true ", "true"), ("[false , 1]", "[false,1]"), ("{}", "{}"), ("[]", "[]"),
            (#"{"b":1,"a":{"d":[],"c":null}}"#, #"{"a":{"c":null,"d":[]},"b":1}"#),
            ("-0", "0"), ("9223372036854775807", "9223372036854775807"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("9223372036854775808", "9.223372036854776e+18"), ("1.50", "1.5"), ("1e2", "100.0"), ("-0.0", "-0.0"),
            ("1E-7", "1e-07"), (#""\u00e9\ud83d\ude00\/\b\f\n\r\t\"\\""#, #""é😀/\u0008\u000c\n\r\t\"\\""#),
            (#"{"é":1,"e\u0301":2}"#, "{\"e\u{301}\":2,\"\u{E9}\":1}"),
        ])
    func canonical(_ text: String, _ canonical: String) throws {
        let tree = try JSONTree(parsing: text)
        #expect(Array(tree.canonical.utf8) == Array(canonical.utf8))
        #expect(try JSONTree(parsing: canonical) == tree)
        #expect(try JSONTree(parsing: canonical).canonical == tree.canonical)
    }

    @Test(
        "rejects everything but JSON",
        arguments: [
            "", " ", "nul", "tru", "01", "-", "1.", ".5", "1e", "+1", "--1", "[1,]", "[1", "{\"a\"}", "{\"a\":}",
            "{a:1}",
            "{\"a\":1,}", "\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\u{1}\"", "1 2", "NaN", "Infinity", "'a'",
            "[1 2]",
            "{\"a\" 1}", "\u{FEFF}1",
        ])
    func malformed(_ text: String) {
        let error = #expect(throws: JSONError.self) { try JSONTree(parsing: text) }
        switch error {
        case .syntax, .endsEarly, .trailingBytes: break
        default: Issue.record("\(String(describing: error))")
        }
    }

    @Test("contains only what a database can store")
    func bounds() throws {
        for text in [#""\u0000""#, #"{"\u0000":1}"#, #"[{"a":"b\u0000"}]"#] {
            #expect(throws: JSONError.nul) { try JSONTree(parsing: text) }
        }
        for text in [#""\ud800""#, #""\udc00""#, #""\ud800x""#, #""\ud800\u0041""#] {
            #expect(throws: JSONError.loneSurrogate) { try JSONTree(parsing: text) }
        }
        #expect(throws: JSONError.notUTF8) { try JSONTree(parsing: [0x22, 0xFF, 0x22]) }
        #expect(throws: JSONError.numberTooLarge) { try JSONTree(parsing: "1e400") }
        #expect(throws: JSONError.duplicate("a")) { try JSONTree(parsing: #"{"a":1,"b":2,"\u0061":3}"#) }
        let depth = JSONReader.maximumDepth
        _ = try JSONTree(parsing: String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
        #expect(throws: JSONError.tooDeep) { try JSONTree(parsing: String(repeating: "[", count: depth + 1)) }
        #expect(throws: JSONError.tooDeep) { try JSONTree(parsing: String(repeating: "{\"a\":", count: depth + 1)) }
    }

    @Test("parsing survives any truncation and any byte", arguments: [UInt64.random(in: .min ... .max)])
    func mutated(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        let text = Array(#"{"a":[1,-2.5e3,"\u00e9\ud83d\ude00",null,true],"b":{"c":{}}}"#.utf8)
        for _ in 0..<20_000 {
            var bytes = text
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            bytes.removeLast(Int.random(in: 0..<4, using: &random))
            guard let tree = try? JSONTree(parsing: bytes) else { continue }
            #expect(try JSONTree(parsing: tree.canonical) == tree, "seed \(seed)")
        }
    }
}
