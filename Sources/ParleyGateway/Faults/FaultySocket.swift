import NIOCore
import ParleySockets

/// A socket on which a `PlantedFault` is carried out.
final class FaultySocket: KernelSocket {
    var fault: PlantedFault?
    /// What goes out behind the next delivery.
    private var held: ByteBuffer?

    override func write(_ bytes: ByteBuffer) {
        guard let fault, PlantedFault.isDelivery(bytes) else { return super.write(bytes) }
        guard fault.strikes() else {
            super.write(bytes)
            if let held { super.write(held) }
            held = nil
            return
        }
        switch fault.order.kind {
        case .drop: break
        case .double:
            super.write(bytes)
            super.write(bytes)
        case .swap: held = bytes
        }
    }
}
