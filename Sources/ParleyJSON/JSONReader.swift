/// A pull parser for one JSON text (RFC 8259): the caller asks for what it expects, nothing else is built.
///
/// Strict: no comments, no trailing commas, no byte order mark. Time is linear in the bytes, nesting is bounded by
/// `maximumDepth`, and what is not asked for is skipped without being kept. Whoever wants a value as a whole takes
/// `tree()`.
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
    /// The most arrays and objects inside each other.
    package static let maximumDepth = 32

    // An array, though frames come in other buffers: copied and read by index, one takes two thirds of the time.
    private let bytes: [UInt8]
    /// The next byte.
    private var index = 0
    private var depth = 0
    /// Nothing was read yet of the object or array entered last.
    private var isAtStart = false

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    // MARK: Structure

    /// The kind of the next value; nothing is consumed.
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

    /// Goes into the object that is the next value; then call `nextKey()` until it says `nil`.
    package mutating func enterObject() throws(JSONError) {
        try enter(.object, expected: "an object")
    }

    /// The name of the next member, whose value must be read or skipped before the next call; `nil` leaves the object.
    ///
    /// A name may come twice; whoever cares throws `JSONError.duplicate`.
    package mutating func nextKey() throws(JSONError) -> String? {
        guard try goOn(closer: UInt8(ascii: "}")) else { return nil }
        guard try nextByte() == UInt8(ascii: "\"") else { throw .syntax(at: index) }
        let key = try string()
        guard try nextByte() == UInt8(ascii: ":") else { throw .syntax(at: index) }
        index += 1
        return key
    }

    /// Goes into the array that is the next value; then call `nextElement()` until it says `false`.
    package mutating func enterArray() throws(JSONError) {
        try enter(.array, expected: "an array")
    }

    /// Whether there is one more element, which must be read or skipped before the next call; `false` leaves the array.
    package mutating func nextElement() throws(JSONError) -> Bool {
        try goOn(closer: UInt8(ascii: "]"))
    }

    /// Only white space may follow.
    package mutating func end() throws(JSONError) {
        skipWhitespace()
        guard peek == nil else { throw .trailingBytes(at: index) }
    }

    // MARK: Values

    /// The next value, which must be a string: valid UTF-8, whole surrogate pairs; NUL is allowed here.
    package mutating func string() throws(JSONError) -> String {
        try expect(.string, "a string")
        let (text, end) = try JSONString.read(bytes, from: index + 1)
        index = end
        return text
    }

    /// The next value, which must be a number without fraction and exponent that fits.
    package mutating func integer() throws(JSONError) -> Int64 {
        try expect(.number, "a number")
        let (text, isInteger) = try numberText()
        guard isInteger, let value = integer(text) else { throw .notAnInteger }
        return value
    }

    /// The next value, which must be a number: whole if it is written so and fits, else the nearest double.
    package mutating func number() throws(JSONError) -> JSONTree {
        try expect(.number, "a number")
        let (text, isInteger) = try numberText()
        if isInteger, let value = integer(text) { return .integer(value) }
        let digits = String(decoding: bytes[text], as: UTF8.self)
        guard let value = Double(digits), value.isFinite else { throw .numberTooLarge }
        return .number(value)
    }

    /// The next value, which must be `true` or `false`.
    package mutating func bool() throws(JSONError) -> Bool {
        try expect(.bool, "true or false")
        let value = peek == UInt8(ascii: "t")
        try skipLiteral(value ? "true" : "false")
        return value
    }

    /// The next value, whatever it is, as the bytes it was written in.
    package mutating func raw() throws(JSONError) -> [UInt8] {
        skipWhitespace()
        let start = index
        try skip()
        return Array(bytes[start..<index])
    }

    /// Passes over the next value, which must be valid all the same.
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

    /// The next byte that is no white space; it is not consumed.
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

    /// Passes the comma before the next part of an object or array, or its closing bracket: then `false`.
    private mutating func goOn(closer: UInt8) throws(JSONError) -> Bool {
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

    /// Passes over a number.
    /// - Returns: where its text is, and whether that has neither fraction nor exponent.
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

    /// - Parameter text: where an optional sign and digits are.
    /// - Returns: `nil` if the number needs more than 64 bits.
    private func integer(_ text: Range<Int>) -> Int64? {
        // The sign, 19 digits: more cannot fit, and nobody has to look at a million of them.
        guard text.count <= 20 else { return nil }
        let isNegative = bytes[text.lowerBound] == UInt8(ascii: "-")
        var value: Int64 = 0
        for byte in bytes[text].dropFirst(isNegative ? 1 : 0) {
            let digit = Int64(byte - UInt8(ascii: "0"))
            let (shifted, isTooLong) = value.multipliedReportingOverflow(by: 10)
            // Below zero there is room for one more.
            let (next, isTooLarge) =
                isNegative ? shifted.subtractingReportingOverflow(digit) : shifted.addingReportingOverflow(digit)
            if isTooLong || isTooLarge { return nil }
            value = next
        }
        return value
    }

    /// One digit or more.
    private mutating func skipDigits() throws(JSONError) {
        let start = index
        while let byte = peek, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { index += 1 }
        guard index > start else { throw peek == nil ? .endsEarly : .syntax(at: index) }
    }
}
