import CZlib
package import NIOCore

/// Raw deflate (RFC 1951) of single messages by zlib.
///
/// A zlib stream lives within one call: its pointers never leave this folder, and nothing is kept between messages.
package enum Zlib {
    /// The result of inflating a message.
    package enum Inflated: Hashable {
        case complete(ByteBuffer)
        /// It exceeds the maximum size.
        case tooLarge
        /// It is not a deflate stream, or is truncated.
        case damaged
    }

    /// The constant bytes that are removed from the end of a compressed message (RFC 7692 §7.2.1).
    private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]

    /// Compresses a message, without `tail`; `nil` if zlib cannot allocate memory.
    /// - Parameter windowBits: 9 to 15.
    package static func deflate(_ payload: ByteBuffer, windowBits: Int32) -> ByteBuffer? {
        withStream { stream in
            // Memory level 5 gives the same sizes as the default 8 up to 4 KiB, with less state to set up.
            guard parley_deflate_init(stream, Z_DEFAULT_COMPRESSION, -windowBits, 5) == Z_OK else { return nil }
            defer { deflateEnd(stream) }
            // Room for the worst case and the flush marker, so that one call is enough.
            let bound = Int(deflateBound(stream, UInt(payload.readableBytes))) + 16
            var output = ByteBufferAllocator().buffer(capacity: bound)
            let isDone = payload.withUnsafeReadableBytes { bytes in
                setInput(of: stream, to: bytes)
                var status = Z_OK
                output.writeWithUnsafeMutableBytes(minimumWritableBytes: bound) { room in
                    setOutput(of: stream, to: room)
                    status = CZlib.deflate(stream, Z_SYNC_FLUSH)
                    return room.count - Int(stream.pointee.avail_out)
                }
                return status == Z_OK && stream.pointee.avail_in == 0 && stream.pointee.avail_out > 0
            }
            guard isDone, output.readableBytes >= tail.count else { return nil }
            output.moveWriterIndex(to: output.writerIndex - tail.count)
            return output
        }
    }

    /// Inflates a message of any window size.
    /// - Parameters:
    ///   - payload: without `tail`.
    ///   - maximumBytes: maximum size kept, whatever the message would inflate to.
    package static func inflate(_ payload: ByteBuffer, maximumBytes: Int) -> Inflated {
        withStream { stream in
            guard parley_inflate_init(stream, -15) == Z_OK else { return .damaged }
            defer { inflateEnd(stream) }
            var output = ByteBuffer()
            let outcome = payload.withUnsafeReadableBytes { bytes in
                feed(bytes, to: stream, output: &output, maximumBytes: maximumBytes)
            }
            switch outcome {
            case .failed: return .damaged
            case .full: return .tooLarge
            case .ended: return .complete(output)
            case .needsInput: break
            }
            let last = tail.withUnsafeBytes { feed($0, to: stream, output: &output, maximumBytes: maximumBytes) }
            // After the tail, an empty block, the stream must be between two blocks: bit 7 of `data_type`.
            switch last {
            case .needsInput: return stream.pointee.data_type & 128 != 0 ? .complete(output) : .damaged
            case .full: return .tooLarge
            case .ended, .failed: return .damaged
            }
        }
    }

    /// The state of the inflater after a run.
    private enum Outcome {
        /// All input is consumed, more can follow.
        case needsInput
        /// A final block has ended the message.
        case ended
        case full
        case failed
    }

    /// Inflates all of `bytes`.
    private static func feed(
        _ bytes: UnsafeRawBufferPointer, to stream: UnsafeMutablePointer<z_stream>, output: inout ByteBuffer,
        maximumBytes: Int
    ) -> Outcome {
        setInput(of: stream, to: bytes)
        while true {
            // One byte above the maximum distinguishes a message of exactly the maximum from a larger one.
            let limit = maximumBytes + 1 - output.readableBytes
            let guess = min(limit, max(256, 2 * output.readableBytes, 3 * bytes.count))
            var status = Z_OK
            output.writeWithUnsafeMutableBytes(minimumWritableBytes: guess) { room in
                let room = UnsafeMutableRawBufferPointer(rebasing: room.prefix(limit))
                setOutput(of: stream, to: room)
                status = CZlib.inflate(stream, Z_SYNC_FLUSH)
                return room.count - Int(stream.pointee.avail_out)
            }
            if output.readableBytes > maximumBytes { return .full }
            switch status {
            case Z_STREAM_END:
                // Some senders mark the last block of each message as final (shown in RFC 7692 §7.2.3.4); the byte 0
                // after it begins the empty block that `tail` completes. Anything else is another stream.
                let rest = bytes.suffix(Int(stream.pointee.avail_in))
                if rest.isEmpty || rest.elementsEqual([0]) { return .ended }
                guard inflateReset(stream) == Z_OK else { return .failed }
            case Z_OK where stream.pointee.avail_out == 0:
                break
            case Z_OK, Z_BUF_ERROR:
                return stream.pointee.avail_in == 0 ? .needsInput : .failed
            default:
                return .failed
            }
        }
    }

    /// A zeroed stream at a stable address, as zlib requires.
    static func withStream<Value>(_ body: (UnsafeMutablePointer<z_stream>) -> Value) -> Value {
        withUnsafeTemporaryAllocation(of: z_stream.self, capacity: 1) { memory in
            memory.initialize(repeating: z_stream())
            defer { memory.deinitialize() }
            // A buffer of one element has a base address.
            guard let stream = memory.baseAddress else { preconditionFailure("not enough memory on the stack") }
            return body(stream)
        }
    }

    static func setInput(of stream: UnsafeMutablePointer<z_stream>, to bytes: UnsafeRawBufferPointer) {
        // zlib only reads the input; its pointer type predates `const`.
        stream.pointee.next_in = UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(
            to: Bytef.self)
        stream.pointee.avail_in = UInt32(bytes.count)
    }

    static func setOutput(of stream: UnsafeMutablePointer<z_stream>, to room: UnsafeMutableRawBufferPointer) {
        stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: Bytef.self)
        stream.pointee.avail_out = UInt32(room.count)
    }
}
