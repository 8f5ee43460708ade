package import NIOCore

/// Closes the connection of a client that sends requests without reading the answers, which bounds the pending data.
package final class WriteLimit: ChannelOutboundHandler {
    package typealias OutboundIn = IOData
    package typealias OutboundOut = IOData

    /// The limit in bytes, about thirty pages of the maximum size.
    package static let maximumBytes = 8 << 20

    private var unwritten = 0

    package init() {}

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let count = unwrapOutboundIn(data).readableBytes
        guard unwritten + count <= Self.maximumBytes else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return context.close(promise: nil)
        }
        unwritten += count
        let written = promise ?? context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { [self] _ in unwritten -= count }
        context.write(data, promise: written)
    }
}
