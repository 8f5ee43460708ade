package import NIOCore

/// A command in the bytes that Redis wants.
package struct RESPCommand: Hashable, Sendable {
    package private(set) var bytes: ByteBuffer

    /// A command whose arguments follow, exactly `count` of them, the name being the first.
    package init(count: Int, capacity: Int = 64) {
        bytes = ByteBuffer()
        bytes.reserveCapacity(capacity)
        bytes.writeString("*\(count)\r\n")
    }

    package init(_ arguments: [String]) {
        self.init(count: arguments.count)
        for argument in arguments { append(argument) }
    }

    package init(_ arguments: String...) {
        self.init(arguments)
    }

    package mutating func append(_ text: String) {
        bytes.writeString("$\(text.utf8.count)\r\n")
        bytes.writeString(text)
        bytes.writeStaticString("\r\n")
    }

    package mutating func append(_ data: [UInt8]) {
        bytes.writeString("$\(data.count)\r\n")
        bytes.writeBytes(data)
        bytes.writeStaticString("\r\n")
    }

    package mutating func append(_ number: some BinaryInteger) {
        append(String(number))
    }
}
