import Logging
import NIOCore
import ParleySockets

/// Detaches a connection from its NIO channel once the handshake is done: a channel costs several times the memory of a
/// session, and a WebSocket needs no pipeline.
///
/// Stands behind the HTTP decoder, which passes on the bytes that the client has already sent behind its request. When
/// the decoder is removed and the response is written, a `KernelSocket` takes over on a duplicate of the descriptor,
/// and the channel closes its own. The connection lives as long as one of the two is open.
///
/// Bound to its event loop.
final class SocketDetacher: ChannelInboundHandler, Heartbeating {
    typealias InboundIn = ByteBuffer

    private let admission: Admission
    private let control: AdmissionControl
    private let services: ConnectionServices
    private let loop: GatewayLoop
    private var early = ByteBuffer()
    private var context: ChannelHandlerContext?
    var place: HeartbeatWheel.Place?

    init(_ admission: Admission, by control: AdmissionControl, services: ConnectionServices, loop: GatewayLoop) {
        self.admission = admission
        self.control = control
        self.services = services
        self.loop = loop
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        // The response may wait behind earlier ones that the client does not read.
        loop.heartbeats.schedule(self, after: services.settings.handshakeTimeout)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        withdraw()
    }

    func channelInactive(context: ChannelHandlerContext) {
        withdraw()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let bytes = context.part(data, as: InboundIn.self) else { return }
        early.writeImmutableBuffer(bytes)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func heartbeat(at now: Int64) -> Int64? {
        context?.close(promise: nil)
        return nil
    }

    /// The channel is gone before its connection was detached.
    private func withdraw() {
        guard context != nil else { return }
        context = nil
        loop.heartbeats.remove(self)
        control.withdraw(admission)
    }

    /// Detaches the connection; called when the decoder is removed and the response is written.
    func finish() {
        guard let context else { return }
        let connection = WebSocketConnection(admission: admission, services: services, loop: loop)
        do {
            let socket = try KernelSocket(leaving: context.channel, loop.poller, owner: connection)
            services.limits.counts.keepConnection()
            self.context = nil
            loop.heartbeats.remove(self)
            context.close(promise: nil)
            connection.begin(socket, early: early)
        } catch {
            services.telemetry.logger.warning("socket not detached from its channel", metadata: ["error": "\(error)"])
            context.close(promise: nil)
        }
    }
}
