package import AsyncHTTPClient
package import NIOCore
import NIOHPACK
package import NIOHTTP1
package import NIOHTTP2

extension HTTPClient.Configuration {
    /// Makes the client fail a request whose response has an impossible status.
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
                try pipeline.addHandler(HTTP2StatusGuard(), position: .before(codec))
                try pipeline.addHandler(StatusGuard(), position: .after(codec))
            }
        }
    }
}

/// Refuses a response without a final status, which RFC 9110 (section 15) does not have.
///
/// The decoder of NIOHTTP1 takes a status below 100 for the final one, and async-http-client for an interim one. So the client still
/// waits for the final one when the decoder reports a body or the end, and its state machine stops the process.
package final class StatusGuard: ChannelInboundHandler {
    package typealias InboundIn = HTTPClientResponsePart
    package typealias InboundOut = HTTPClientResponsePart

    private var hasStatus = false
    private var isRefused = false

    package init() {}

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard head.status.code >= 100 else { return refuse(context) }
            if head.status.code >= 200 || head.status.code == 101 { hasStatus = true }
        case .body:
            guard hasStatus else { return refuse(context) }
        case .end:
            guard hasStatus else { return refuse(context) }
            hasStatus = false
        }
        context.fireChannelRead(data)
    }

    private func refuse(_ context: ChannelHandlerContext) {
        isRefused = true
        context.fireErrorCaught(HTTPParserError.invalidStatus)
        context.close(promise: nil)
    }
}

/// Refuses a stream of HTTP/2 whose status is not a number of three digits from 100 on (RFC 9110, section 15).
///
/// The codec of NIOHTTP2 stops the process for a negative or empty status, and takes `+103` for a final one.
package final class HTTP2StatusGuard: ChannelInboundHandler {
    package typealias InboundIn = HTTP2Frame.FramePayload
    package typealias InboundOut = HTTP2Frame.FramePayload

    private var isRefused = false

    package init() {}

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        if case .headers(let frame) = unwrapInboundIn(data),
            !frame.headers[":status"].allSatisfy({ Self.isStatus($0) })
        {
            isRefused = true
            context.fireErrorCaught(HTTPParserError.invalidStatus)
            context.close(promise: nil)
            return
        }
        context.fireChannelRead(data)
    }

    private static func isStatus(_ text: String) -> Bool {
        let digits = text.utf8
        return digits.count == 3 && digits.allSatisfy { (0x30...0x39).contains($0) } && digits.first != 0x30
    }
}
