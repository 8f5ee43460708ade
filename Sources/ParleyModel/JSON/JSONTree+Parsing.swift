extension JSONTree {
    /// How deep arrays and objects may lie in each other.
    package static var maximumDepth: Int { 32 }

    /// Reads one JSON text (RFC 8259), with nothing after it.
    package init(parsing text: some Sequence<UInt8>) throws(JSONTreeFlaw) {
        var parser = JSONTreeParser(Array(text))
        self = try parser.whole()
    }

    /// Reads one JSON text (RFC 8259), with nothing after it.
    package init(parsing text: String) throws(JSONTreeFlaw) {
        try self.init(parsing: text.utf8)
    }
}

/// Walks over the bytes of one JSON text.
private struct JSONTreeParser {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func whole() throws(JSONTreeFlaw) -> JSONTree {
        let value = try value(depth: 0)
        skipSpace()
        guard index == bytes.count else { throw .malformed(offset: index) }
        return value
    }

    private var malformed: JSONTreeFlaw { .malformed(offset: index) }

    private mutating func value(depth: Int) throws(JSONTreeFlaw) -> JSONTree {
        skipSpace()
        guard index < bytes.count else { throw malformed }
        switch bytes[index] {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ word: String, _ value: JSONTree) throws(JSONTreeFlaw) -> JSONTree {
        guard bytes[index...].starts(with: word.utf8) else { throw malformed }
        index += word.utf8.count
        return value
    }

    private mutating func array(depth: Int) throws(JSONTreeFlaw) -> JSONTree {
        guard depth <= JSONTree.maximumDepth else { throw .tooDeep }
        index += 1
        var elements: [JSONTree] = []
        skipSpace()
        if accept("]") { return .array([]) }
        repeat {
            elements.append(try value(depth: depth))
            skipSpace()
        } while accept(",")
        guard accept("]") else { throw malformed }
        return .array(elements)
    }

    private mutating func object(depth: Int) throws(JSONTreeFlaw) -> JSONTree {
        guard depth <= JSONTree.maximumDepth else { throw .tooDeep }
        index += 1
        var members: [JSONTree.Member] = []
        skipSpace()
        if accept("}") { return .members([]) }
        repeat {
            skipSpace()
            guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { throw malformed }
            let key = try string()
            skipSpace()
            guard accept(":") else { throw malformed }
            members.append(JSONTree.Member(key, try value(depth: depth)))
            skipSpace()
        } while accept(",")
        guard accept("}") else { throw malformed }
        let sorted = JSONTree.sorted(members)
        for (one, next) in zip(sorted, sorted.dropFirst()) where one.key.utf8.elementsEqual(next.key.utf8) {
            throw .duplicate(one.key)
        }
        return .members(sorted)
    }

    // MARK: Numbers

    private mutating func number() throws(JSONTreeFlaw) -> JSONTree {
        let start = index
        var isInteger = true
        _ = accept("-")
        let first = index
        let digits = skipDigits()
        guard digits == 1 || (digits > 1 && bytes[first] != UInt8(ascii: "0")) else { throw malformed }
        if accept(".") {
            isInteger = false
            guard skipDigits() > 0 else { throw malformed }
        }
        if accept("e") || accept("E") {
            isInteger = false
            if !accept("-") { _ = accept("+") }
            guard skipDigits() > 0 else { throw malformed }
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if isInteger, let number = Int64(text) { return .integer(number) }
        guard let number = Double(text), number.isFinite else { throw .numberTooLarge }
        return .number(number)
    }

    private mutating func skipDigits() -> Int {
        let start = index
        while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) { index += 1 }
        return index - start
    }

    // MARK: Strings

    private mutating func string() throws(JSONTreeFlaw) -> String {
        index += 1
        var content: [UInt8] = []
        while true {
            guard index < bytes.count else { throw malformed }
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: content, as: UTF8.self) else { throw .badText }
                return text
            case UInt8(ascii: "\\"): try escape(into: &content)
            case 0..<0x20: throw .malformed(offset: index - 1)
            default: content.append(byte)
            }
        }
    }

    private mutating func escape(into content: inout [UInt8]) throws(JSONTreeFlaw) {
        guard index < bytes.count else { throw malformed }
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "u"): content += try String(scalar()).utf8
        default: throw .malformed(offset: index - 1)
        }
    }

    /// What follows `\u`; of a surrogate, the other half too.
    private mutating func scalar() throws(JSONTreeFlaw) -> Unicode.Scalar {
        var code = try codeUnit()
        if (0xD800..<0xDC00).contains(code) {
            guard accept("\\"), accept("u") else { throw .badText }
            let low = try codeUnit()
            guard (0xDC00..<0xE000).contains(low) else { throw .badText }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard code != 0, let scalar = Unicode.Scalar(code) else { throw .badText }
        return scalar
    }

    private mutating func codeUnit() throws(JSONTreeFlaw) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard index < bytes.count, let digit = Character(Unicode.Scalar(bytes[index])).hexDigitValue,
                bytes[index] < 0x80
            else { throw malformed }
            code = code << 4 | UInt32(digit)
            index += 1
        }
        return code
    }

    private mutating func accept(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() {
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
    }
}
