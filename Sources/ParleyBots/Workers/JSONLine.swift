import Foundation
import NIOCore

/// Commands and reports as lines of JSON.
enum JSONLine {
    static func write(_ value: some Encodable) throws -> ByteBuffer {
        var line = ByteBuffer(bytes: try JSONEncoder().encode(value))
        line.writeInteger(UInt8(ascii: "\n"))
        return line
    }

    static func read<Value: Decodable>(_ line: ByteBuffer, as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(line.readableBytesView))
    }
}
