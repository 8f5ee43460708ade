import NIOCore
import ParleyModel
import ParleyWire

/// A WebSocket of the client on its event loop.
final class SocketHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The time that a client may take to answer a close frame.
    private static let closing = TimeAmount.seconds(1)

    private let number: Int
    private let kit: KitLoop
    private let channel: any Channel
    private let parser = WebSocketFrameParser(maximumBytes: Limits().frameBytes, compression: false)
    private var ping = ByteBuffer()
    /// Whether the close frame was sent. RFC 6455 allows only one.
    private var isClosing = false

    init(_ number: Int, _ kit: KitLoop, _ channel: any Channel) {
        (self.number, self.kit, self.channel) = (number, kit, channel)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        parser.append(&bytes)
        do throws(WebSocketViolation) {
            while let input = try parser.next() {
                switch input {
                case .text(let text): kit.process(.received(number, text))
                case .ping(let payload):
                    ping = payload
                    kit.process(.pinged(number))
                case .pong, .binary: break
                case .close where isClosing: channel.close(promise: nil)
                case .close(let code):
                    write(code.map { WebSocketFrame.close(code: $0, reason: "") } ?? WebSocketFrame.close())
                    channel.close(promise: nil)
                }
            }
        } catch {
            kit.process(.broke(number, error.explanation))
            close(error.closeCode)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        kit.closed()
        kit.ended(number)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func write(_ frame: ByteBuffer) { channel.writeAndFlush(frame, promise: nil) }

    func send(_ text: String) { write(WebSocketFrame.text(ByteBuffer(string: text), compressed: false)) }

    func pong() { write(WebSocketFrame.pong(ping)) }

    func close(_ code: UInt16) {
        isClosing = true
        write(WebSocketFrame.close(code: code, reason: ""))
        channel.eventLoop.assumeIsolated().scheduleTask(in: Self.closing) { [channel] in
            channel.close(promise: nil)
        }
    }

    func cut() { channel.close(promise: nil) }
}
