package import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTP2

extension HTTPClient.Configuration {
    /// Makes the client fail a request whose response has a status below 100.
    package mutating func guardStatus() {
        http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.submit {
                let pipeline = channel.pipeline.syncOperations
                let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                try pipeline.addHandler(StatusGuard(), position: .after(decoder))
            }
        }
        http2StreamChannelDebugInitializer = { channel in
            channel.eventLoop.submit {
                let pipeline = channel.pipeline.syncOperations
                let codec = try pipeline.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)
                try pipeline.addHandler(StatusGuard(), position: .after(codec))
            }
        }
    }
}

/// Refuses a response whose status is below 100, which RFC 9110 (section 15) does not have.
///
/// The decoder of NIOHTTP1 takes it for the final response, and async-http-client for an interim one. So the client still waits
/// for the final one when the decoder reports the end, and its state machine stops the process.
final class StatusGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data), head.status.code < 100 {
            isRefused = true
            context.fireErrorCaught(HTTPParserError.invalidStatus)
            context.close(promise: nil)
        }
        if !isRefused { context.fireChannelRead(data) }
    }
}
