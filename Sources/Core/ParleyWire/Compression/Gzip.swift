import CZlib
package import NIOCore

/// Compression of whole files in the gzip format (RFC 1952).
package enum Gzip {
    package enum Effort {
        /// For files that are compressed once.
        case most
        /// For answers, which are compressed each time: a third of the time of zlib's default, and 5 % more bytes.
        case answer

        fileprivate var level: Int32 { self == .most ? Z_BEST_COMPRESSION : 4 }
        fileprivate var memory: Int32 { self == .most ? 9 : 8 }
    }

    /// The window of 32 KiB, in the gzip format (zlib's `deflateInit2`).
    private static let windowBits: Int32 = 15 + 16

    /// Returns the compressed bytes; `nil` if zlib cannot allocate memory.
    /// - Parameter padding: The number of bytes to add to the header, as a file name that nobody reads.
    package static func compress(_ bytes: ByteBuffer, _ effort: Effort = .most, padding: Int = 0) -> ByteBuffer? {
        var name = [UInt8](repeating: UInt8(ascii: "-"), count: padding) + [0]
        return name.withUnsafeMutableBufferPointer { name in
            var header = gz_header()
            // "Unknown", as in zlib's own header for any system.
            header.os = 255
            if padding > 0 { header.name = name.baseAddress }
            return withUnsafeMutablePointer(to: &header) { compress(bytes, effort, $0) }
        }
    }

    /// - Parameter header: is read until this returns.
    private static func compress(
        _ bytes: ByteBuffer, _ effort: Effort, _ header: UnsafeMutablePointer<gz_header>
    ) -> ByteBuffer? {
        Zlib.withStream { stream in
            guard parley_deflate_init(stream, effort.level, windowBits, effort.memory) == Z_OK else { return nil }
            defer { deflateEnd(stream) }
            guard deflateSetHeader(stream, header) == Z_OK else { return nil }
            // Includes the header.
            let bound = Int(deflateBound(stream, UInt(bytes.readableBytes)))
            var output = ByteBufferAllocator().buffer(capacity: bound)
            let isDone = bytes.withUnsafeReadableBytes { input in
                Zlib.setInput(of: stream, to: input)
                var status = Z_OK
                output.writeWithUnsafeMutableBytes(minimumWritableBytes: bound) { room in
                    Zlib.setOutput(of: stream, to: room)
                    status = deflate(stream, Z_FINISH)
                    return room.count - Int(stream.pointee.avail_out)
                }
                return status == Z_STREAM_END
            }
            return isDone ? output : nil
        }
    }
}
