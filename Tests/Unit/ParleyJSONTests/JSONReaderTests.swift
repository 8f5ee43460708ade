import ParleyJSON
import ParleyTestSupport
import Testing

@Suite struct JSONReaderTests {
    /// Reads one value of any kind, and the end.
    private func skip(_ json: [UInt8]) throws(JSONError) {
        var reader = JSONReader(json)
        try reader.skip()
        try reader.end()
    }

    private func string(_ json: [UInt8]) throws(JSONError) -> String {
        var reader = JSONReader(json)
        let text = try reader.string()
        try reader.end()
        return text
    }

    private func integer(_ json: String) throws(JSONError) -> Int64 {
        var reader = JSONReader(Array(json.utf8))
        let value = try reader.integer()
        try reader.end()
        return value
    }

    static let valid = [
        "null", "true", "false", "0", "-0", "12", "-1.5", "0.1e5", "1E+5", "1e-05", "123456789012345678901234567890",
        "\"\"", "\"a\"", "[]", "{}", " [ ] ", "\t{\r\n}", "[1,2]", "[ 1 , [ 2 ] , {} ]", "{\"a\":1}",
        "{ \"a\" : [ { \"b\" : null } ] , \"c\" : \"d\" }", "{\"a\":1,\"a\":2}", "\"\\u0000\"", "\"\u{7F}\"",
    ]

    @Test("everything RFC 8259 allows is read", arguments: valid)
    func readsValid(json: String) throws {
        try skip(Array(json.utf8))
    }

    @Test("no proper prefix of a value is a value, except of a top-level number", arguments: valid)
    func refusesPrefixes(json: String) {
        let bytes = Array(json.utf8)
        for count in 0..<bytes.count {
            let prefix = Array(bytes[..<count])
            let shorter = String(decoding: prefix, as: UTF8.self).trimmed
            if Double(shorter) != nil || shorter == json.trimmed { continue }
            #expect(throws: JSONError.self, "\(shorter)") { try skip(prefix) }
        }
    }

    @Test(
        "everything RFC 8259 forbids is rejected",
        arguments: [
            "", " ", "nul", "nulll", "True", "tru", "+1", "01", "-", "1.", ".5", "1e", "1e+", "--1", "0x10", "NaN",
            "Infinity", "'a'", "\"a", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"", "\"\t\"", "\"\n\"", "\"\0\"",
            "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1}", "{", "}", "{\"a\"", "{\"a\":", "{\"a\":}",
            "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{1:2}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{\"a\":1]",
            "{} {}", "1 2", "{}x", "\u{FEFF}{}", "/**/1", "[1]//", "\u{A0}1",
        ])
    func refusesInvalid(json: String) {
        #expect(throws: JSONError.self) { try skip(Array(json.utf8)) }
    }

    @Test(
        "escapes are decoded",
        arguments: [
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
            (#""a\u0041\u00e9\u20AC\uFFFFz""#, "aA\u{E9}\u{20AC}\u{FFFF}z"),
            (#""\uD83D\uDC4D""#, "\u{1F44D}"),
            (#""\uD800\uDC00\uDBFF\uDFFF""#, "\u{10000}\u{10FFFF}"),
            (#""\u0000""#, "\0"),
            (#""\uD7FF\uE000""#, "\u{D7FF}\u{E000}"),
            (#""é👍\n""#, "é👍\n"),
        ])
    func readsEscapes(json: String, text: String) throws {
        let read = try string(Array(json.utf8))
        #expect(Array(read.unicodeScalars) == Array(text.unicodeScalars))
    }

    @Test(
        "an unpaired surrogate is rejected",
        arguments: [
            #""\uD800""#, #""\uDC00""#, #""\uDBFFx""#, #""\uD800\uD800""#, #""\uDC00\uD800""#, #""\uD83D\n""#,
            #""\uD83D\u0041""#, #""\uD83D\u12""#, #""\uD83D\\uDC4D""#,
        ])
    func refusesLoneSurrogates(json: String) {
        #expect(throws: JSONError.loneSurrogate) { try string(Array(json.utf8)) }
    }

    @Test(
        "bytes that are not UTF-8 are rejected in every string",
        arguments: ["80", "FF", "C080", "C3", "E28082C3", "EDA080", "F4908080", "F8888080"])
    func refusesBadUTF8(digits: String) {
        let quote = UInt8(ascii: "\"")
        #expect(throws: JSONError.notUTF8) { try string([quote] + hex(digits) + [quote]) }
        #expect(throws: JSONError.notUTF8) { try string([quote] + hex("5C6E") + hex(digits) + [quote]) }
        #expect(throws: JSONError.notUTF8) { try skip(Array("{\"x\":[\"".utf8) + hex(digits) + Array("\"]}".utf8)) }
    }

    @Test("every Unicode scalar survives a round trip, plain and escaped as \\u")
    func roundTripsAllScalars() throws {
        for block in stride(from: UInt32(0), through: 0x10FFFF, by: 0x800) {
            var text = ""
            text.unicodeScalars.append(contentsOf: (block..<block + 0x800).compactMap(Unicode.Scalar.init))
            var writer = JSONWriter(capacity: 0)
            writer.string(text)
            let plain = try string(writer.bytes)
            #expect(plain.unicodeScalars.elementsEqual(text.unicodeScalars), "block \(block)")
            let escaped = text.utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
            let read = try string(Array("\"\(escaped.joined())\"".utf8))
            #expect(read.unicodeScalars.elementsEqual(text.unicodeScalars), "block \(block)")
        }
    }

    @Test("nesting is read up to its bound and rejected above it", arguments: [("[", "]"), ("{\"a\":", "}")])
    func boundsDepth(open: String, close: String) throws {
        func nested(_ depth: Int) -> [UInt8] {
            let inside = open == "[" ? "" : "0"
            return Array((String(repeating: open, count: depth) + inside + String(repeating: close, count: depth)).utf8)
        }
        try skip(nested(JSONReader.maximumDepth))
        #expect(throws: JSONError.tooDeep) { try skip(nested(JSONReader.maximumDepth + 1)) }
        #expect(throws: JSONError.tooDeep) { try skip(Array(String(repeating: open, count: 60_000).utf8)) }
        // Depth is not length: siblings do not count.
        try skip(Array("[\(String(repeating: "[],", count: 1000))[]]".utf8))
    }

    @Test(
        "64-bit integers are read",
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("-7", -7), ("9223372036854775807", Int64.max),
            ("-9223372036854775808", Int64.min),
        ])
    func readsIntegers(json: String, value: Int64) throws {
        #expect(try integer(json) == value)
    }

    @Test(
        "other numbers are not read as integers",
        arguments: [
            "1.0", "1e3", "0.5", "9223372036854775808", "-9223372036854775809", "100000000000000000000",
            String(repeating: "9", count: 60_000), "1" + String(repeating: "0", count: 40) + ".5",
        ])
    func refusesOtherNumbers(json: String) throws {
        #expect(throws: JSONError.notAnInteger) { try integer(json) }
        try skip(Array(json.utf8))
    }

    @Test("a number is an integer if it is written as one and fits, otherwise a double")
    func readsNumbers() throws {
        func number(_ json: String) throws -> JSONTree {
            var reader = JSONReader(Array(json.utf8))
            return try reader.number()
        }
        #expect(try number("-12") == .integer(-12))
        #expect(try number("1.0") == .number(1))
        #expect(try number("1e2") == .number(100))
        #expect(try number("9223372036854775808") == .number(9_223_372_036_854_775_808))
        #expect(throws: JSONError.numberTooLarge) { try number("-1e400") }
        #expect(throws: JSONError.numberTooLarge) { try number(String(repeating: "9", count: 400)) }
    }

    @Test(
        "an unpaired surrogate is replaced on request",
        arguments: [
            (#"\uD800"#, "\u{FFFD}"), (#"a\uDC00b"#, "a\u{FFFD}b"), (#"\uD800\u0041"#, "\u{FFFD}A"),
            (#"\uD800\uD83D\uDC4D"#, "\u{FFFD}👍"), (#"\uD800\n"#, "\u{FFFD}\n"),
        ])
    func replacesLoneSurrogates(inside: String, text: String) throws {
        let bytes = Array("[\"\(inside)\"]".utf8)
        let (read, end) = try JSONString.read(bytes, from: 2, loneSurrogates: .replaced)
        #expect(read == text)
        #expect(end == bytes.count - 1)
    }

    @Test("reading another kind names the expected one and consumes nothing")
    func saysWhatIsExpected() throws {
        var reader = JSONReader(Array(" [true, null]".utf8))
        #expect(throws: JSONError.expected("an object")) { try reader.enterObject() }
        #expect(throws: JSONError.expected("a string")) { _ = try reader.string() }
        #expect(throws: JSONError.expected("a number")) { _ = try reader.integer() }
        #expect(try reader.kind() == .array)
        try reader.enterArray()
        #expect(try reader.nextElement())
        #expect(throws: JSONError.expected("true or false")) {
            var other = JSONReader(Array("1".utf8))
            _ = try other.bool()
        }
        #expect(try reader.bool())
        #expect(try reader.nextElement())
        #expect(try reader.kind() == .null)
        try reader.skip()
        #expect(try reader.nextElement() == false)
        try reader.end()
    }

    @Test("an unread value is an error, not a trap")
    func survivesForgottenValue() throws {
        var reader = JSONReader(Array("{\"a\":1,\"b\":2}".utf8))
        try reader.enterObject()
        #expect(try reader.nextKey() == "a")
        #expect(throws: JSONError.self) { _ = try reader.nextKey() }
    }

    @Test("the raw bytes of a value are its original bytes")
    func readsRaw() throws {
        var reader = JSONReader(Array(#"{"a" : {"b": [1, "\u0041"]} , "c":2}"#.utf8))
        try reader.enterObject()
        #expect(try reader.nextKey() == "a")
        #expect(try reader.raw() == Array(#"{"b": [1, "\u0041"]}"#.utf8))
        #expect(try reader.nextKey() == "c")
        #expect(try reader.integer() == 2)
        #expect(try reader.nextKey() == nil)
    }

    @Test("damaged JSON never traps and is read in bounded time", arguments: [1, 2, 3, 4] as [UInt64])
    func survivesDamage(seed: UInt64) throws {
        var generator = SeededGenerator(seed)
        let seeds = Self.valid.map { Array($0.utf8) } + [Array(#"{"message":{"id":"t","text":"a\uD83D\uDC4D"}}"#.utf8)]
        for _ in 0..<20_000 {
            var bytes = seeds[Int.random(in: 0..<seeds.count, using: &generator)]
            for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: index)
                default: bytes.insert(contentsOf: bytes[..<index], at: index)
                }
            }
            _ = try? skip(bytes)
            if let tree = try? JSONTree(parsing: bytes) { #expect(try JSONTree(parsing: tree.json) == tree) }
        }
    }
}

/// Bytes from hex digits.
private func hex(_ digits: String) -> [UInt8] {
    let nibbles = digits.compactMap(\.hexDigitValue)
    return stride(from: 0, to: nibbles.count, by: 2).map { UInt8(nibbles[$0] << 4 | nibbles[$0 + 1]) }
}

extension String {
    fileprivate var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
