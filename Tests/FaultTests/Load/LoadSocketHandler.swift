import NIOCore
import ParleyTestSupport

/// The bytes of a `LoadClient`'s socket.
final class LoadSocketHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let client: LoadClient
    private let request: String
    private var head: [UInt8]? = []
    private var parser = SocketFrameParser()

    init(_ client: LoadClient, _ request: String) {
        self.client = client
        self.request = request
    }

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: request)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        if head == nil {
            parser.feed(buffer.readableBytesView)
        } else {
            head?.append(contentsOf: buffer.readableBytesView)
            guard let all = head, let end = all.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
            guard all.starts(with: Array("HTTP/1.1 101".utf8)) else { return context.close(promise: nil) }
            head = nil
            parser.feed(all[end.upperBound...])
            client.handshakeDone()
        }
        do {
            while let frame = try parser.next() { receive(frame, context) }
        } catch {
            context.close(promise: nil)
        }
    }

    private func receive(_ frame: SocketFrame, _ context: ChannelHandlerContext) {
        switch SocketFrame.Opcode(rawValue: frame.opcode) {
        case .text: client.received(frame.payload)
        case .ping:
            context.writeAndFlush(
                wrapOutboundOut(ByteBuffer(bytes: SocketFrame(.pong, frame.payload).bytes())), promise: nil)
        case .close: context.close(promise: nil)
        default: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        client.closed()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
