#if os(Linux)
    import NIOCore
    import NIOHTTP1
    import NIOWebSocket

    /// A WebSocket on a NIO channel.
    struct NIOSocket: ChatSocket {
        private let channel: any Channel
        private let events: IncomingEvents

        init(_ channel: any Channel, _ events: IncomingEvents) {
            self.channel = channel
            self.events = events
        }

        func send(_ text: String) async throws {
            let frame = WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: ByteBuffer(string: text))
            try await channel.writeAndFlush(frame)
        }

        func receive() async -> [SocketEvent] {
            let received = await events.receive()
            channel.setOption(.autoRead, value: true).whenComplete { _ in }
            return received
        }

        func close(code: Int) async {
            var data = ByteBuffer()
            data.write(webSocketErrorCode: WebSocketErrorCode(codeNumber: code))
            let frame = WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: data)
            channel.writeAndFlush(frame, promise: nil)
            try? await channel.close()
        }
    }

    /// Assembles messages, answers pings, and reports the end. Runs on the channel's event loop.
    final class NIOSocketHandler: ChannelInboundHandler {
        typealias InboundIn = WebSocketFrame
        typealias OutboundOut = WebSocketFrame

        let events = IncomingEvents()
        private var message: ByteBuffer?
        private var code: Int?

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var frame = unwrapInboundIn(data)
            var payload = frame.unmaskedData
            switch frame.opcode {
            case .text, .continuation:
                if message == nil { message = payload } else { message?.writeBuffer(&payload) }
                guard let size = message?.readableBytes, size <= NIOTransport.maximumFrame else {
                    return context.close(promise: nil)
                }
                guard frame.fin, let complete = message else { return }
                message = nil
                append(.text(Array(complete.readableBytesView)), context)
            case .ping:
                frame = WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: payload)
                context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
                append(.activity, context)
            case .pong: append(.activity, context)
            case .connectionClose:
                code = payload.readWebSocketErrorCode().map { Int(UInt16(webSocketErrorCode: $0)) }
                var data = ByteBuffer()
                if let code { data.write(webSocketErrorCode: WebSocketErrorCode(codeNumber: code)) }
                frame = WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: data)
                let channel = context.channel
                context.writeAndFlush(wrapOutboundOut(frame)).whenComplete { _ in channel.close(promise: nil) }
            default: break
            }
        }

        private func append(_ event: SocketEvent, _ context: ChannelHandlerContext) {
            if !events.append(event) { context.channel.setOption(.autoRead, value: false).whenComplete { _ in } }
        }

        func channelInactive(context: ChannelHandlerContext) {
            events.append(.closed(code: code))
            context.fireChannelInactive()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }

    /// Reports a handshake response with a status other than 101.
    final class RejectionHandler: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPClientResponsePart

        private let opened: EventLoopPromise<NIOSocket>

        init(_ opened: EventLoopPromise<NIOSocket>) { self.opened = opened }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .head(let head) = unwrapInboundIn(data) else { return }
            let retryAfter = head.headers.first(name: "Retry-After").flatMap { Int($0) }
            opened.fail(HandshakeFailure(status: Int(head.status.code), retryAfter: retryAfter))
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            opened.fail(error)
            context.close(promise: nil)
        }
    }

    /// Collects the response to a request.
    final class ResponseHandler: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart

        /// The maximum size of a response in bytes. A longer response fails.
        static let maximumBody = 64 << 20

        private let answered: EventLoopPromise<TransportResponse>
        private var head: HTTPResponseHead?
        private var body = ByteBuffer()

        init(_ answered: EventLoopPromise<TransportResponse>) { self.answered = answered }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): self.head = head
            case .body(var part):
                body.writeBuffer(&part)
                if body.readableBytes > Self.maximumBody { answered.fail(ChatError.noAnswer("the answer is too long")) }
            case .end:
                guard let head, head.status.code >= 200 else { return }
                answered.succeed(
                    TransportResponse(
                        status: Int(head.status.code), headers: head.headers.map { ($0.name, $0.value) },
                        body: Array(body.readableBytesView)))
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            answered.fail(ChatError.noAnswer("the connection was closed"))
            context.fireChannelInactive()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            answered.fail(error)
            context.close(promise: nil)
        }
    }
#endif
