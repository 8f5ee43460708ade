package import NIOCore

/// Writes one JSON text, without white space, into a buffer.
///
/// It puts the commas; that brackets close and every key gets its value is the caller's part.
package struct JSONWriter: Sendable {
    /// What has been written.
    package private(set) var bytes: ByteBuffer
    private var needsComma = false

    /// - Parameter capacity: the expected length in bytes; more is possible.
    package init(capacity: Int) {
        bytes = ByteBufferAllocator().buffer(capacity: capacity)
    }

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// The name of the member whose value comes next.
    /// - Parameter name: needs no escaping.
    package mutating func key(_ name: StaticString) {
        separate()
        bytes.writeInteger(UInt8(ascii: "\""))
        bytes.writeStaticString(name)
        bytes.writeStaticString("\":")
        needsComma = false
    }

    /// The name of the member whose value comes next, escaped as need be.
    package mutating func key(escaping name: String) {
        string(name)
        bytes.writeInteger(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func string(_ value: String) {
        separate()
        bytes.writeInteger(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { writeEscaped(UnsafeRawBufferPointer($0)) }
        bytes.writeInteger(UInt8(ascii: "\""))
    }

    package mutating func integer(_ value: Int64) {
        separate()
        bytes.writeString(String(value))
    }

    package mutating func bool(_ value: Bool) {
        separate()
        bytes.writeStaticString(value ? "true" : "false")
    }

    package mutating func null() {
        separate()
        bytes.writeStaticString("null")
    }

    /// A value that is JSON already.
    package mutating func raw(_ value: ByteBuffer) {
        separate()
        bytes.writeImmutableBuffer(value)
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
        bytes.writeInteger(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.writeInteger(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.writeInteger(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// Copies runs that need no escape as they are.
    private mutating func writeEscaped(_ text: UnsafeRawBufferPointer) {
        var start = 0
        for (index, byte) in text.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
            bytes.writeBytes(UnsafeRawBufferPointer(rebasing: text[start..<index]))
            writeEscape(byte)
            start = index + 1
        }
        bytes.writeBytes(UnsafeRawBufferPointer(rebasing: text[start...]))
    }

    private mutating func writeEscape(_ byte: UInt8) {
        switch byte {
        case 0x22: bytes.writeStaticString("\\\"")
        case 0x5C: bytes.writeStaticString("\\\\")
        case 0x08: bytes.writeStaticString("\\b")
        case 0x09: bytes.writeStaticString("\\t")
        case 0x0A: bytes.writeStaticString("\\n")
        case 0x0C: bytes.writeStaticString("\\f")
        case 0x0D: bytes.writeStaticString("\\r")
        default:
            bytes.writeStaticString(byte < 0x10 ? "\\u000" : "\\u001")
            let digit = byte & 0xF
            bytes.writeInteger(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
