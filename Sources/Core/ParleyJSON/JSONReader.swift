/// A pull parser for one JSON text (RFC 8259): the caller reads the values it expects, nothing else is built.
///
/// Strict: no comments, no trailing commas, no byte order mark. Time is linear in the bytes, nesting is bounded by
/// `maximumDepth`, and skipped values are validated but not kept. `tree()` reads a value as a whole.
///
/// ```swift
/// var reader = JSONReader(payload)
/// try reader.enterObject()
/// while let key = try reader.nextKey() {
///     switch key {
///     case "id": id = try reader.string()
///     default: try reader.skip()
///     }
/// }
/// try reader.end()
/// ```
package struct JSONReader: Sendable {
    /// Maximum number of nested arrays and objects.
    package static let maximumDepth = 32

    // An array, though frames come in other buffers: copying to an array and reading by index takes two thirds of the
    // time.
    private let bytes: [UInt8]
    /// The index of the next byte.
    private var index = 0
    private var depth = 0
    /// Nothing has been read yet of the object or array entered last.
    private var isAtStart = false

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    // MARK: Structure

    /// The kind of the next value; consumes nothing.
    package mutating func kind() throws(JSONError) -> JSONKind {
        switch try nextByte() {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "n"): return .null
        default: throw .syntax(at: index)
        }
    }

    /// Enters the object that is the next value; then call `nextKey()` until it returns `nil`.
    package mutating func enterObject() throws(JSONError) {
        try enter(.object, expected: "an object")
    }

    /// The name of the next member, whose value must be read or skipped before the next call; `nil` leaves the object.
    ///
    /// A name may occur twice; callers that care throw `JSONError.duplicate`.
    package mutating func nextKey() throws(JSONError) -> String? {
        guard try hasNext(closer: UInt8(ascii: "}")) else { return nil }
        guard try nextByte() == UInt8(ascii: "\"") else { throw .syntax(at: index) }
        let key = try string()
        guard try nextByte() == UInt8(ascii: ":") else { throw .syntax(at: index) }
        index += 1
        return key
    }

    /// Enters the array that is the next value; then call `nextElement()` until it returns `false`.
    package mutating func enterArray() throws(JSONError) {
        try enter(.array, expected: "an array")
    }

    /// Whether there is another element, which must be read or skipped before the next call; `false` leaves the array.
    package mutating func nextElement() throws(JSONError) -> Bool {
        try hasNext(closer: UInt8(ascii: "]"))
    }

    /// Checks that only white space follows.
    package mutating func end() throws(JSONError) {
        skipWhitespace()
        guard peek == nil else { throw .trailingBytes(at: index) }
    }

    // MARK: Values

    /// Reads a string: valid UTF-8, paired surrogates; NUL is allowed.
    package mutating func string() throws(JSONError) -> String {
        try expect(.string, "a string")
        let (text, end) = try JSONString.read(bytes, from: index + 1)
        index = end
        return text
    }

    /// Reads a number without fraction and exponent that fits into 64 bits.
    package mutating func integer() throws(JSONError) -> Int64 {
        try expect(.number, "a number")
        let (text, isInteger) = try numberText()
        guard isInteger, let value = integer(text) else { throw .notAnInteger }
        return value
    }

    /// Reads a number: an integer if it is written as one and fits, otherwise the nearest double.
    package mutating func number() throws(JSONError) -> JSONTree {
        try expect(.number, "a number")
        let (text, isInteger) = try numberText()
        if isInteger, let value = integer(text) { return .integer(value) }
        let digits = String(decoding: bytes[text], as: UTF8.self)
        guard let value = Double(digits), value.isFinite else { throw .numberTooLarge }
        return .number(value)
    }

    /// Reads `true` or `false`.
    package mutating func bool() throws(JSONError) -> Bool {
        try expect(.bool, "true or false")
        let value = peek == UInt8(ascii: "t")
        try skipLiteral(value ? "true" : "false")
        return value
    }

    /// Reads a value of any kind as its original bytes.
    package mutating func raw() throws(JSONError) -> [UInt8] {
        skipWhitespace()
        let start = index
        try skip()
        return Array(bytes[start..<index])
    }

    /// Skips the next value, which must be valid nevertheless.
    package mutating func skip() throws(JSONError) {
        switch try kind() {
        case .object:
            try enterObject()
            while try nextKey() != nil { try skip() }
        case .array:
            try enterArray()
            while try nextElement() { try skip() }
        case .string: _ = try string()
        case .number: _ = try numberText()
        case .bool: _ = try bool()
        case .null: try skipLiteral("null")
        }
    }

    // MARK: Bytes

    private var peek: UInt8? {
        index < bytes.count ? bytes[index] : nil
    }

    private mutating func skipWhitespace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    /// The next byte that is not white space, without consuming it.
    private mutating func nextByte() throws(JSONError) -> UInt8 {
        skipWhitespace()
        guard let byte = peek else { throw .endsEarly }
        return byte
    }

    private mutating func expect(_ kind: JSONKind, _ name: String) throws(JSONError) {
        guard try self.kind() == kind else { throw .expected(name) }
    }

    private mutating func enter(_ kind: JSONKind, expected name: String) throws(JSONError) {
        try expect(kind, name)
        guard depth < Self.maximumDepth else { throw .tooDeep }
        depth += 1
        index += 1
        isAtStart = true
    }

    /// Skips the comma before the next element of an object or array, or the closing bracket, in which case it returns
    /// `false`.
    private mutating func hasNext(closer: UInt8) throws(JSONError) -> Bool {
        let byte = try nextByte()
        let wasAtStart = isAtStart
        isAtStart = false
        if byte == closer {
            index += 1
            depth -= 1
            return false
        }
        if wasAtStart { return true }
        guard byte == UInt8(ascii: ",") else { throw .syntax(at: index) }
        index += 1
        return true
    }

    private mutating func skipLiteral(_ literal: StaticString) throws(JSONError) {
        for offset in 0..<literal.utf8CodeUnitCount {
            guard let byte = peek else { throw .endsEarly }
            guard byte == literal.utf8Start[offset] else { throw .syntax(at: index) }
            index += 1
        }
    }

    /// Skips a number.
    /// - Returns: the range of its text, and whether it has neither fraction nor exponent.
    private mutating func numberText() throws(JSONError) -> (text: Range<Int>, isInteger: Bool) {
        let start = index
        var isInteger = true
        if peek == UInt8(ascii: "-") { index += 1 }
        if peek == UInt8(ascii: "0") { index += 1 } else { try skipDigits() }
        if peek == UInt8(ascii: ".") {
            isInteger = false
            index += 1
            try skipDigits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            isInteger = false
            index += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { index += 1 }
            try skipDigits()
        }
        return (start..<index, isInteger)
    }

    /// - Parameter text: the range of an optional sign and digits.
    /// - Returns: `nil` if the number does not fit into 64 bits.
    private func integer(_ text: Range<Int>) -> Int64? {
        // A sign and 19 digits: more cannot fit, and a million digits need no inspection.
        guard text.count <= 20 else { return nil }
        let isNegative = bytes[text.lowerBound] == UInt8(ascii: "-")
        var value: Int64 = 0
        for byte in bytes[text].dropFirst(isNegative ? 1 : 0) {
            let digit = Int64(byte - UInt8(ascii: "0"))
            let (shifted, isTooLong) = value.multipliedReportingOverflow(by: 10)
            // The negative range is larger by one.
            let (next, isTooLarge) =
                isNegative ? shifted.subtractingReportingOverflow(digit) : shifted.addingReportingOverflow(digit)
            if isTooLong || isTooLarge { return nil }
            value = next
        }
        return value
    }

    /// Skips one or more digits.
    private mutating func skipDigits() throws(JSONError) {
        let start = index
        while let byte = peek, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { index += 1 }
        guard index > start else { throw peek == nil ? .endsEarly : .syntax(at: index) }
    }
}
