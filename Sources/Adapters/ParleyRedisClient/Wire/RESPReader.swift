import CHiredis
import NIOCore

/// Parses bytes into replies: hiredis' parser behind a `RESPGuard`. Owned by one connection, used on its event loop.
///
/// hiredis, which the manifest links, allows seven nested arrays. Its objects are copied and freed here; no pointer escapes.
package final class RESPReader {
    /// The reason that bytes are not valid replies; the connection must be closed.
    package enum ParseError: Error, Hashable, Sendable {
        case limit(RESPGuard.ParseError)
        /// A protocol error, with hiredis' text.
        case protocolError(String)
    }

    private let reader: UnsafeMutablePointer<redisReader>
    private var guardian: RESPGuard

    /// Returns `nil` if memory is exhausted.
    package init?(_ limits: RESPLimits = RESPLimits()) {
        guard let reader = redisReaderCreate() else { return nil }
        self.reader = reader
        guardian = RESPGuard(limits)
    }

    deinit {
        redisReaderFree(reader)
    }

    /// Passes received bytes to the parser.
    /// - Throws: `ParseError`; the reader is then unusable.
    package func feed(_ bytes: UnsafeRawBufferPointer) throws(ParseError) {
        do throws(RESPGuard.ParseError) {
            try guardian.check(bytes)
        } catch {
            throw .limit(error)
        }
        guard !bytes.isEmpty else { return }
        guard redisReaderFeed(reader, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count) == REDIS_OK
        else { throw invalid }
    }

    /// Returns the next complete reply; `nil` until more bytes arrive.
    package func next() throws(ParseError) -> RESPValue? {
        var object: UnsafeMutableRawPointer?
        guard redisReaderGetReply(reader, &object) == REDIS_OK else { throw invalid }
        guard let object else { return nil }
        defer { freeReplyObject(object) }
        return Self.value(of: object.assumingMemoryBound(to: redisReply.self))
    }

    private var invalid: ParseError {
        let text = withUnsafeBytes(of: reader.pointee.errstr) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return .protocolError(text)
    }

    private static func value(of reply: UnsafePointer<redisReply>) -> RESPValue {
        let bytes = UnsafeRawBufferPointer(start: reply.pointee.str, count: reply.pointee.len)
        switch reply.pointee.type {
        case REDIS_REPLY_STRING: return .bulk([UInt8](bytes))
        case REDIS_REPLY_STATUS: return .status(String(decoding: bytes, as: UTF8.self))
        case REDIS_REPLY_ERROR: return .error(String(decoding: bytes, as: UTF8.self))
        case REDIS_REPLY_INTEGER: return .integer(reply.pointee.integer)
        case REDIS_REPLY_ARRAY:
            let elements = UnsafeBufferPointer(start: reply.pointee.element, count: reply.pointee.elements)
            return .array(elements.map { element in element.map { value(of: $0) } ?? .null })
        default: return .null
        }
    }
}
