package import NIOCore

/// Writes one JSON text, without white space, into a buffer.
///
/// It puts the commas; that brackets close and every key gets its value is the caller's part.
package struct JSONWriter: Sendable {
    // An array: its many small writes make a message in 0.7 µs, a ByteBuffer takes 1.8.
    private var text: [UInt8] = []
    private var needsComma = false

    /// - Parameter capacity: the expected length in bytes; more is possible.
    package init(capacity: Int) {
        text.reserveCapacity(capacity)
    }

    /// What has been written.
    package var bytes: ByteBuffer { ByteBuffer(bytes: text) }

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// The name of the member whose value comes next.
    /// - Parameter name: needs no escaping.
    package mutating func key(_ name: StaticString) {
        separate()
        text.append(UInt8(ascii: "\""))
        append(name)
        append("\":")
        needsComma = false
    }

    /// The name of the member whose value comes next, escaped as need be.
    package mutating func key(escaping name: String) {
        string(name)
        text.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func string(_ value: String) {
        separate()
        text.append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { writeEscaped($0) }
        text.append(UInt8(ascii: "\""))
    }

    package mutating func integer(_ value: Int64) {
        separate()
        text.append(contentsOf: String(value).utf8)
    }

    package mutating func bool(_ value: Bool) {
        separate()
        append(value ? "true" : "false")
    }

    package mutating func null() {
        separate()
        append("null")
    }

    /// A value that is JSON already.
    package mutating func raw(_ value: ByteBuffer) {
        separate()
        text.append(contentsOf: value.readableBytesView)
    }

    // MARK: Members of an object

    package mutating func member(_ name: StaticString, _ value: String) {
        key(name)
        string(value)
    }

    package mutating func member(_ name: StaticString, _ value: Int64) {
        key(name)
        integer(value)
    }

    package mutating func member(_ name: StaticString, _ value: Bool) {
        key(name)
        bool(value)
    }

    // MARK: Bytes

    private mutating func open(_ bracket: UInt8) {
        separate()
        text.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        text.append(bracket)
        needsComma = true
    }

    private mutating func append(_ literal: StaticString) {
        literal.withUTF8Buffer { text.append(contentsOf: $0) }
    }

    private mutating func separate() {
        if needsComma { text.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// Copies runs that need no escape as they are.
    private mutating func writeEscaped(_ value: UnsafeBufferPointer<UInt8>) {
        var start = 0
        for (index, byte) in value.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
            text.append(contentsOf: UnsafeBufferPointer(rebasing: value[start..<index]))
            writeEscape(byte)
            start = index + 1
        }
        text.append(contentsOf: UnsafeBufferPointer(rebasing: value[start...]))
    }

    private mutating func writeEscape(_ byte: UInt8) {
        switch byte {
        case 0x22: append("\\\"")
        case 0x5C: append("\\\\")
        case 0x08: append("\\b")
        case 0x09: append("\\t")
        case 0x0A: append("\\n")
        case 0x0C: append("\\f")
        case 0x0D: append("\\r")
        default:
            append(byte < 0x10 ? "\\u000" : "\\u001")
            let digit = byte & 0xF
            text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
