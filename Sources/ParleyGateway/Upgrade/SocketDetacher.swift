import Logging
import NIOCore
import ParleySockets

/// Takes a connection out of its channel when the handshake is over: a channel costs several times the memory of a
/// session, and a socket has no use for a pipeline.
///
/// It stands behind the decoder, which hands it what the client has already sent behind its request. When that is
/// known and the answer is with the kernel, a `KernelSocket` begins on a descriptor of its own, and the channel closes
/// the one that it has; the connection lives as long as one of them is open.
///
/// Bound to its event loop.
final class SocketDetacher: ChannelInboundHandler, Heartbeating {
    typealias InboundIn = ByteBuffer

    private let gateway: Gateway
    private let admission: Admission
    private var early = ByteBuffer()
    private var context: ChannelHandlerContext?
    var place: HeartbeatWheel.Place?

    init(gateway: Gateway, admission: Admission) {
        self.gateway = gateway
        self.admission = admission
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        // Answers to earlier requests, which the client does not read, may stand before ours.
        gateway.heartbeats(admission.loop).schedule(self, after: gateway.settings.handshakeTimeout)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        giveUp()
    }

    func channelInactive(context: ChannelHandlerContext) {
        giveUp()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        early.writeImmutableBuffer(unwrapInboundIn(data))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func heartbeat(at now: Int64) -> Int64? {
        context?.close(promise: nil)
        return nil
    }

    /// Nothing will come of it.
    private func giveUp() {
        guard context != nil else { return }
        context = nil
        gateway.heartbeats(admission.loop).remove(self)
        gateway.withdraw(admission)
    }

    /// The decoder is gone, and the answer is sent.
    func finish() {
        guard let context else { return }
        let handler = SocketHandler.make(gateway: gateway, admission: admission)
        do {
            let socket = try gateway.takeOver(context.channel, on: admission.loop, owner: handler)
            self.context = nil
            gateway.heartbeats(admission.loop).remove(self)
            context.close(promise: nil)
            handler.begin(socket, early: early)
        } catch {
            gateway.logger.warning("a socket could not begin", metadata: ["error": "\(error)"])
            context.close(promise: nil)
        }
    }
}

extension Gateway {
    /// The socket of a channel, which is to be closed.
    fileprivate func takeOver(
        _ channel: any Channel, on loop: Int, owner: any KernelSocketOwner
    ) throws -> KernelSocket {
        let socket: KernelSocket
        if let fault = settings.plantedFault {
            let faulty = try FaultySocket(leaving: channel, poller(loop), owner: owner)
            faulty.fault = fault
            socket = faulty
        } else {
            socket = try KernelSocket(leaving: channel, poller(loop), owner: owner)
        }
        counts.keepConnection()
        return socket
    }
}
