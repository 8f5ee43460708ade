import CZlib

/// Whole files in the gzip format (RFC 1952).
package enum Gunzip {
    /// - Parameter limit: The maximum number of output bytes.
    /// - Throws: ``Deflate/Failure``; also for bytes after the end.
    package static func expand(_ bytes: [UInt8], limit: Int = 1 << 20) throws -> [UInt8] {
        var stream = z_stream()
        guard parley_inflate_init(&stream, 15 + 16) == Z_OK else { throw Deflate.Failure(code: Z_STREAM_ERROR) }
        defer { inflateEnd(&stream) }
        var (input, output) = (bytes, [UInt8](repeating: 0, count: limit))
        let status = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                return inflate(&stream, Z_FINISH)
            }
        }
        guard status == Z_STREAM_END, stream.avail_in == 0 else { throw Deflate.Failure(code: status) }
        return Array(output.prefix(limit - Int(stream.avail_out)))
    }
}
