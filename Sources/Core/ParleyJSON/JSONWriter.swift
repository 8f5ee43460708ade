/// Writes one JSON text (RFC 8259), without white space.
///
/// It inserts the commas; the caller must close brackets and write a value for each key. Only the required escapes are
/// used.
package struct JSONWriter: Sendable {
    // Methods called for each member are inlinable: other targets write messages, and calls across targets make that a
    // sixth slower.

    // An array: with its many small writes a message takes 0.7 µs, with a ByteBuffer 1.8.
    @usableFromInline var text: [UInt8] = []
    @usableFromInline var needsComma = false

    /// - Parameter capacity: the expected length in bytes; the text may become longer.
    package init(capacity: Int) {
        text.reserveCapacity(capacity)
    }

    /// The written text.
    package var bytes: [UInt8] { text }

    /// The number of bytes written.
    package var count: Int { text.count }

    @inlinable package mutating func object(_ members: (inout JSONWriter) -> Void) {
        beginObject()
        members(&self)
        endObject()
    }

    @inlinable package mutating func array<Element>(
        _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
    ) {
        beginArray()
        for element in elements { write(&self, element) }
        endArray()
    }

    @inlinable package mutating func beginObject() { open(UInt8(ascii: "{")) }
    @inlinable package mutating func endObject() { close(UInt8(ascii: "}")) }
    @inlinable package mutating func beginArray() { open(UInt8(ascii: "[")) }
    @inlinable package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Writes the name of a member, whose value must follow.
    /// - Parameter name: must need no escaping.
    @inlinable package mutating func key(_ name: StaticString) {
        separate()
        text.append(UInt8(ascii: "\""))
        append(name)
        append("\":")
        needsComma = false
    }

    /// Writes the name of a member with escapes as required; its value must follow.
    @inlinable package mutating func key(escaping name: String) {
        string(name)
        text.append(UInt8(ascii: ":"))
        needsComma = false
    }

    @inlinable package mutating func string(_ value: String) {
        separate()
        text.append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { writeEscaped($0) }
        text.append(UInt8(ascii: "\""))
    }

    @inlinable package mutating func integer(_ value: Int64) {
        separate()
        text.append(contentsOf: String(value).utf8)
    }

    @inlinable package mutating func bool(_ value: Bool) {
        separate()
        append(value ? "true" : "false")
    }

    @inlinable package mutating func null() {
        separate()
        append("null")
    }

    /// - Parameter value: a finite number; anything else becomes `null`, since JSON lacks it.
    package mutating func number(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        text.append(contentsOf: value.description.utf8)
    }

    /// Writes a value that is JSON already.
    package mutating func raw(_ json: String) {
        separate()
        text.append(contentsOf: json.utf8)
    }

    /// Writes a whole value in canonical form.
    package mutating func tree(_ value: JSONTree) {
        switch value {
        case .null: null()
        case .bool(let flag): bool(flag)
        case .integer(let value): integer(value)
        case .number(let value): number(value)
        case .text(let text): string(text)
        case .array(let elements):
            beginArray()
            for element in elements { tree(element) }
            endArray()
        case .members(let members):
            beginObject()
            for member in members {
                key(escaping: member.key)
                tree(member.value)
            }
            endObject()
        }
    }

    /// Ends the text with a line feed, as in NDJSON; another text may follow.
    package mutating func endLine() {
        text.append(0x0A)
        needsComma = false
    }

    // MARK: Members of an object

    @inlinable package mutating func member(_ name: StaticString, _ value: String) {
        key(name)
        string(value)
    }

    @inlinable package mutating func member(_ name: StaticString, _ value: Int64) {
        key(name)
        integer(value)
    }

    @inlinable package mutating func member(_ name: StaticString, _ value: Bool) {
        key(name)
        bool(value)
    }

    // MARK: Bytes

    @inlinable mutating func open(_ bracket: UInt8) {
        separate()
        text.append(bracket)
        needsComma = false
    }

    @inlinable mutating func close(_ bracket: UInt8) {
        text.append(bracket)
        needsComma = true
    }

    @inlinable mutating func append(_ literal: StaticString) {
        literal.withUTF8Buffer { text.append(contentsOf: $0) }
    }

    @inlinable mutating func separate() {
        if needsComma { text.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// Copies runs without escapes unchanged; they are found eight bytes at a time.
    @usableFromInline mutating func writeEscaped(_ value: UnsafeBufferPointer<UInt8>) {
        let raw = UnsafeRawBufferPointer(value)
        var (start, index) = (0, 0)
        while index < raw.count {
            if index + 8 <= raw.count,
                !Self.hasEscape(raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            {
                index += 8
                continue
            }
            let byte = raw[index]
            if Self.isEscaped(byte) {
                text.append(contentsOf: raw[start..<index])
                writeEscape(byte)
                start = index + 1
            }
            index += 1
        }
        text.append(contentsOf: UnsafeRawBufferPointer(rebasing: raw[start...]))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Whether one of eight bytes needs an escape. A byte is below n if subtracting n sets its highest bit, which was
    /// clear; a borrow can only reach a byte above one that is.
    private static func hasEscape(_ bytes: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        func hasByte(below limit: UInt64, _ bytes: UInt64) -> UInt64 {
            (bytes &- ones &* limit) & ~bytes & (ones &* 0x80)
        }
        let quote = ones &* UInt64(UInt8(ascii: "\""))
        let backslash = ones &* UInt64(UInt8(ascii: "\\"))
        return hasByte(below: 0x20, bytes) | hasByte(below: 1, bytes ^ quote)
            | hasByte(below: 1, bytes ^ backslash)
            != 0
    }

    private mutating func writeEscape(_ byte: UInt8) {
        switch byte {
        case 0x22: append("\\\"")
        case 0x5C: append("\\\\")
        case 0x09: append("\\t")
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        // No \b and \f: stored texts, and texts with stored digests, have always been written so.
        default:
            append(byte < 0x10 ? "\\u000" : "\\u001")
            let digit = byte & 0xF
            text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
