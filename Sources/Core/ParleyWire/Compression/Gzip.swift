import CZlib
package import NIOCore

/// Compression of whole files in the gzip format (RFC 1952).
package enum Gzip {
    /// The window of 32 KiB, in the gzip format (zlib's `deflateInit2`).
    private static let windowBits: Int32 = 15 + 16

    /// Returns the compressed bytes; `nil` if zlib cannot allocate memory.
    package static func compress(_ bytes: ByteBuffer) -> ByteBuffer? {
        Zlib.withStream { stream in
            guard parley_deflate_init(stream, Z_BEST_COMPRESSION, windowBits, 9) == Z_OK else { return nil }
            defer { deflateEnd(stream) }
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
