import NIOCore

/// Carries out a `PlantedFault` on the way from a socket's handler to the network. Bound to its event loop.
final class PlantedFaultHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let fault: PlantedFault
    /// What goes out behind the next delivery.
    private var held: ByteBuffer?

    init(_ fault: PlantedFault) {
        self.fault = fault
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        guard PlantedFault.isDelivery(bytes) else { return context.write(data, promise: promise) }
        guard fault.strikes() else {
            context.write(data, promise: promise)
            if let held { context.write(wrapOutboundOut(held), promise: nil) }
            held = nil
            return
        }
        switch fault.order.kind {
        case .drop: promise?.succeed()
        case .double:
            context.write(wrapOutboundOut(bytes), promise: nil)
            context.write(data, promise: promise)
        case .swap:
            held = bytes
            promise?.succeed()
        }
    }
}
