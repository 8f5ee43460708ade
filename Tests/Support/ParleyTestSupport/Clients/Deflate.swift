import CZlib

/// Raw DEFLATE as used by permessage-deflate (RFC 7692 §7.2), one message at a time, without context takeover.
package enum Deflate {
    /// zlib rejected the bytes, or the output exceeded the limit.
    package struct Failure: Error {
        package let code: Int32
    }

    /// The four bytes at the end of a flushed block, which the extension omits.
    private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]

    package static func compress(_ bytes: [UInt8]) throws -> [UInt8] {
        var stream = z_stream()
        guard parley_deflate_init(&stream, Z_BEST_COMPRESSION, -15, 8) == Z_OK else {
            throw Failure(code: Z_STREAM_ERROR)
        }
        defer { deflateEnd(&stream) }
        let output = try run(&stream, input: bytes, limit: Int.max) { deflate($0, Z_SYNC_FLUSH) }
        return Array(output.dropLast(tail.count))
    }

    /// - Parameter limit: The maximum number of output bytes.
    package static func expand(_ bytes: [UInt8], limit: Int = 1 << 20) throws -> [UInt8] {
        var stream = z_stream()
        guard parley_inflate_init(&stream, -15) == Z_OK else { throw Failure(code: Z_STREAM_ERROR) }
        defer { inflateEnd(&stream) }
        return try run(&stream, input: bytes + tail, limit: limit) { inflate($0, Z_SYNC_FLUSH) }
    }

    /// Feeds all of `input` through `step` and collects the output.
    private static func run(
        _ stream: inout z_stream, input: [UInt8], limit: Int, step: (UnsafeMutablePointer<z_stream>) -> Int32
    ) throws -> [UInt8] {
        var input = input
        var output: [UInt8] = []
        var page = [UInt8](repeating: 0, count: 65_536)
        try input.withUnsafeMutableBufferPointer { source in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(source.count)
            while true {
                let (code, produced) = page.withUnsafeMutableBufferPointer { target -> (Int32, Int) in
                    stream.next_out = target.baseAddress
                    stream.avail_out = UInt32(target.count)
                    return (step(&stream), target.count - Int(stream.avail_out))
                }
                // Z_BUF_ERROR only means that there was nothing left to do.
                guard code == Z_OK || code == Z_BUF_ERROR else { throw Failure(code: code) }
                output += page[..<produced]
                guard output.count <= limit else { throw Failure(code: Z_MEM_ERROR) }
                if produced < page.count { return }
            }
        }
        return output
    }
}
