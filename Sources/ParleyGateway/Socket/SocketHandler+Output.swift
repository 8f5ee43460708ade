import Glibc
import NIOCore

/// The way out: straight to the kernel while that takes everything, through the channel when it does not.
///
/// What most sockets are sent at one time is one small frame. The channel's queue of writes costs several times what is
/// left of that, and is needed only for what the kernel does not take at once; see `Benchmarks/deliveries`.
extension SocketHandler {
    /// What was written and not sent, and whether it may go straight to the kernel.
    ///
    /// The descriptor is used from `handlerAdded` to `channelInactive`: the channel closes it just before that, on this
    /// loop, and calls nobody in between who writes.
    struct Output {
        /// What `flush` is to send; there is none while anything waits in the channel.
        var held: ByteBuffer?
        /// Bytes may wait in the channel: what follows has to go through it too. At first so: the answer to the upgrade
        /// went that way.
        var isQueued = true
        /// `nil` where there is no socket: before the beginning, after the end, and in a channel of another kind.
        var descriptor: NIOBSDSocket.Handle?
        /// Something was written since the last `flush`.
        var hasUnflushed = false
        /// Bytes on their way out, or gone.
        var written: Int64 = 0
    }

    /// How many bytes wait to be taken by the kernel.
    final var waitingBytes: Int {
        if let held = output.held { return held.readableBytes }
        return output.isQueued ? context?.waitingBytes ?? 0 : 0
    }

    /// Nothing stands between this handler and the socket from here on, but a fault that was planted there.
    final func beginOutput(_ context: ChannelHandlerContext) {
        guard gateway.settings.plantedFault == nil else { return }
        output.descriptor = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { $0 }
    }

    /// Takes bytes; `flush` sends them.
    final func write(_ bytes: ByteBuffer) {
        guard let context, !isClosing else { return }
        gateway.metrics.sent(bytes: bytes.readableBytes)
        output.written += Int64(bytes.readableBytes)
        output.hasUnflushed = true
        if output.held == nil, !output.isQueued {
            output.held = bytes
        } else {
            queueHeld(context)
            context.write(wrapOutboundOut(bytes), promise: nil)
        }
    }

    /// Sends what was written.
    final func sendWritten() {
        guard let context else { return }
        if let held = output.held {
            let sent = send(held)
            if sent == held.readableBytes {
                output.held = nil
                return
            }
            // The channel waits until there is room, or finds the same error again and ends the connection.
            output.held?.moveReaderIndex(forwardBy: sent)
            queueHeld(context)
        }
        guard output.isQueued else { return }
        // May end this connection, and calls back when there is room again.
        context.flush()
        output.isQueued = output.descriptor == nil || context.waitingBytes > 0
    }

    /// From here on through the channel.
    private func queueHeld(_ context: ChannelHandlerContext) {
        output.isQueued = true
        guard let held = output.held else { return }
        output.held = nil
        context.write(wrapOutboundOut(held), promise: nil)
    }

    /// - Returns: how many bytes the kernel has taken; 0 after an error.
    private func send(_ bytes: ByteBuffer) -> Int {
        guard let descriptor = output.descriptor else { return 0 }
        let flags = CInt(MSG_NOSIGNAL | MSG_DONTWAIT)
        return bytes.withUnsafeReadableBytes { max(0, Glibc.send(descriptor, $0.baseAddress, $0.count, flags)) }
    }
}
