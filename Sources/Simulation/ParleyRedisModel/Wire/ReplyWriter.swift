import NIOCore
import ParleyRedisClient

extension ByteBuffer {
    /// Writes a reply in RESP2.
    mutating func write(_ reply: RESPValue) {
        switch reply {
        case .null: writeStaticString("$-1\r\n")
        case .integer(let number): writeString(":\(number)\r\n")
        case .status(let text): writeString("+\(text)\r\n")
        case .error(let text): writeString("-\(text)\r\n")
        case .bulk(let bytes):
            writeString("$\(bytes.count)\r\n")
            writeBytes(bytes)
            writeStaticString("\r\n")
        case .array(let elements):
            writeString("*\(elements.count)\r\n")
            for element in elements { write(element) }
        }
    }
}
