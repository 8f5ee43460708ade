package import NIOCore
package import NIOHTTP1

/// Parses the requests of a connection, including those behind a request that offers another protocol.
///
/// NIO's parser stops for good behind CONNECT, and behind a request with an `Upgrade` field whose `Connection` field
/// lists it. Only the parser knows whether it has stopped, since only it knows how it has read these fields. So this
/// decoder does not predict that, it asks, and then continues with a new parser. The pipeline does not change.
///
/// Behind a WebSocket handshake no request follows: the bytes are kept, and passed on when the decoder is removed.
///
/// Bound to its event loop.
package final class RequestDecoder: ByteToMessageDecoder {
    package typealias InboundOut = HTTPServerRequestPart

    /// The part that follows the request being parsed.
    package enum Next: Hashable, Sendable {
        /// A further request.
        case request
        /// Another protocol, if the handshake is accepted. Kept until then.
        case frames
        /// Nothing: all further input is discarded.
        case nothing
    }

    /// Set by the handlers behind this decoder while they handle a head.
    package var next = Next.request
    private var parser = RequestDecoder.makeParser()

    package init() {}

    /// The limits of a request's head.
    private static func makeParser() -> HTTPRequestDecoder {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 16 * 1024
        limits.maxHeaderListSize = 32 * 1024
        limits.maxHeaderFieldCount = 100
        return HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)
    }

    package func decoderAdded(context: ChannelHandlerContext) {
        parser.decoderAdded(context: context)
    }

    package func decoderRemoved(context: ChannelHandlerContext) {
        parser.decoderRemoved(context: context)
    }

    package func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        if next != .nothing { _ = try parser.decode(context: context, buffer: &buffer) }
        switch next {
        case .request where buffer.readableBytes > 0 && hasStopped(context):
            parser.decoderRemoved(context: context)
            parser = Self.makeParser()
            parser.decoderAdded(context: context)
            return .continue
        case .request, .frames:
            return .needMoreData
        case .nothing:
            buffer.moveReaderIndex(to: buffer.writerIndex)
            return .needMoreData
        }
    }

    package func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) throws -> DecodingState {
        switch next {
        case .request:
            while buffer.readableBytes > 0, case .continue = try decode(context: context, buffer: &buffer) {}
            if seenEOF, next != .nothing {
                _ = try parser.decodeLast(context: context, buffer: &buffer, seenEOF: true)
            }
        case .frames where seenEOF:
            _ = try parser.decodeLast(context: context, buffer: &buffer, seenEOF: true)
        case .frames where buffer.readableBytes > 0:
            // The handshake was accepted. A parser that has not stopped has taken a part of these bytes for a request.
            guard hasStopped(context) else { throw HTTPParserError.invalidEOFState }
            context.fireChannelRead(NIOAny(buffer))
        case .frames, .nothing:
            break
        }
        return .needMoreData
    }

    /// Whether the parser has stopped; only meaningful if it has left bytes. Otherwise it leaves bytes inside of a head
    /// only, where the end of the input is an error. Asking changes nothing.
    private func hasStopped(_ context: ChannelHandlerContext) -> Bool {
        var none = ByteBuffer()
        do {
            _ = try parser.decodeLast(context: context, buffer: &none, seenEOF: true)
            return true
        } catch {
            return false
        }
    }
}
