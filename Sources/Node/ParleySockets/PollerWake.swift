import CEpoll
import Glibc
package import NIOCore
import NIOPosix

/// Wakes an event loop when a socket of its `SocketPoller` is ready.
///
/// The loop sleeps in NIO's epoll instance, which knows only channels. So one channel represents all of these sockets:
/// its descriptor is an eventfd, which the kernel raises as soon as the poller's own epoll instance has an event
/// (`IOCB_CMD_POLL` of io_submit(2), Linux 4.18). The request is one-shot and is submitted again after each look. No
/// other thread takes part.
///
/// Bound to its event loop.
package final class PollerWake: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer

    /// The interval between looks where io_submit(2) is not available, as in some sandboxes.
    private static let pause = TimeAmount.milliseconds(5)

    private let poller: SocketPoller
    private var context: aio_context_t = 0
    private var request = iocb()
    private var channel: (any Channel)?
    private var hasEnded = false
    /// Whether the kernel reports events; otherwise the poller looks at intervals.
    package private(set) var isNotified = false

    private init(_ poller: SocketPoller, event: CInt) {
        self.poller = poller
        request.aio_lio_opcode = UInt16(IOCB_CMD_POLL)
        request.aio_fildes = UInt32(poller.epoll)
        request.aio_buf = UInt64(EPOLLIN.rawValue)
        request.aio_flags = UInt32(IOCB_FLAG_RESFD)
        request.aio_resfd = UInt32(event)
    }

    /// Starts the polling of a loop; called on it. Completes with whether the kernel notifies the loop.
    package typealias Start = @Sendable (SocketPoller) throws -> EventLoopFuture<Bool>

    /// By `PollerWake`.
    package static let standard: Start = { try start(for: $0).map(\.value.isNotified) }

    /// Starts to wake the loop; must be called on it.
    /// - Parameter asksKernel: `false`: looks at intervals, as if io_submit(2) were not available.
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

    /// Stops, and closes every connection of the poller. The end of the loop does the same.
    package func stop() {
        channel?.close(promise: nil)
    }

    private func begin(asksKernel: Bool) {
        isNotified = asksKernel && parley_io_setup(1, &context) == 0 && submitRequest()
        guard !isNotified else { return }
        let bound = NIOLoopBound(self, eventLoop: poller.eventLoop)
        poller.eventLoop.scheduleRepeatedTask(initialDelay: Self.pause, delay: Self.pause) { task in
            if bound.value.hasEnded { task.cancel() } else { bound.value.poller.poll() }
        }
    }

    /// - Returns: whether the kernel accepts the request.
    private func submitRequest() -> Bool {
        parley_io_submit(context, &request) == 1
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var reply = io_event()
        _ = parley_io_getevents(self.context, &reply)
        poller.poll()
        // An event that is left over completes the request at once.
        if !hasEnded, !submitRequest() { submitLater() }
    }

    /// The kernel is short of memory.
    private func submitLater() {
        let bound = NIOLoopBound(self, eventLoop: poller.eventLoop)
        poller.eventLoop.scheduleTask(in: Self.pause) {
            let wake = bound.value
            guard !wake.hasEnded else { return }
            wake.poller.poll()
            if !wake.submitRequest() { wake.submitLater() }
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
