import CEpoll
import Glibc
package import NIOCore
import NIOPosix

/// Wakes an event loop when a socket of its `SocketPoller` is ready.
///
/// The loop sleeps in an epoll instance of the library, where only channels are. So a channel stands for all of these
/// sockets: its descriptor is an eventfd, which the kernel raises as soon as the poller's own epoll instance has
/// something (`IOCB_CMD_POLL` of io_submit(2), Linux 4.18). That happens once, and is asked for again after each look.
/// No other thread has part in it.
///
/// Bound to its event loop.
package final class PollerWake: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer

    /// How often it looks where the kernel does not do this, as in some sandboxes.
    private static let pause = TimeAmount.milliseconds(5)

    private let poller: SocketPoller
    private var context: aio_context_t = 0
    private var request = iocb()
    private var channel: (any Channel)?
    private var hasEnded = false
    /// The kernel tells; otherwise it is looked at intervals.
    package private(set) var isTold = false

    private init(_ poller: SocketPoller, event: CInt) {
        self.poller = poller
        request.aio_lio_opcode = UInt16(IOCB_CMD_POLL)
        request.aio_fildes = UInt32(poller.epoll)
        request.aio_buf = UInt64(EPOLLIN.rawValue)
        request.aio_flags = UInt32(IOCB_FLAG_RESFD)
        request.aio_resfd = UInt32(event)
    }

    /// Begins; to be called on the loop.
    /// - Parameter asksKernel: `false`: looks at intervals, as where the kernel does not tell.
    package static func start(
        for poller: SocketPoller, asksKernel: Bool = true
    ) throws -> EventLoopFuture<NIOLoopBound<PollerWake>> {
        let event = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        guard event >= 0 else { throw IOError(errnoCode: errno, reason: "eventfd") }
        let loop = poller.eventLoop
        let wake = NIOLoopBound(PollerWake(poller, event: event), eventLoop: loop)
        return NIOPipeBootstrap(group: loop)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 64))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(wake.value)
                }
            }
            .takingOwnershipOfDescriptor(input: event)
            .map { channel in
                wake.value.channel = channel
                wake.value.begin(asksKernel: asksKernel)
                return wake
            }
    }

    /// Ends, and every connection of the poller with it. The end of the loop does the same.
    package func stop() {
        channel?.close(promise: nil)
    }

    private func begin(asksKernel: Bool) {
        isTold = asksKernel && parley_io_setup(1, &context) == 0 && ask()
        guard !isTold else { return }
        let bound = NIOLoopBound(self, eventLoop: poller.eventLoop)
        poller.eventLoop.scheduleRepeatedTask(initialDelay: Self.pause, delay: Self.pause) { task in
            if bound.value.hasEnded { task.cancel() } else { bound.value.poller.look() }
        }
    }

    /// - Returns: whether the kernel will tell.
    private func ask() -> Bool {
        parley_io_submit(context, &request) == 1
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var reply = io_event()
        _ = parley_io_getevents(self.context, &reply)
        poller.look()
        // What is left over is told at once.
        if !hasEnded, !ask() { askLater() }
    }

    /// The kernel is short of memory.
    private func askLater() {
        let bound = NIOLoopBound(self, eventLoop: poller.eventLoop)
        poller.eventLoop.scheduleTask(in: Self.pause) {
            let wake = bound.value
            guard !wake.hasEnded else { return }
            wake.poller.look()
            if !wake.ask() { wake.askLater() }
        }
    }

    package func channelInactive(context: ChannelHandlerContext) {
        hasEnded = true
        channel = nil
        poller.closeAll()
        if self.context != 0 { _ = parley_io_destroy(self.context) }
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
