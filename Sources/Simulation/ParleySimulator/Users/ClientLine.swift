import NIOCore
import NIOHTTP1
import ParleyGateway

/// A connection of a user to a gateway: the handshake, then the bytes of a WebSocket.
///
/// Confined to the simulator's only thread.
final class ClientLine: @unchecked Sendable {
    // `@unchecked Sendable`: the simulator has one thread.
    enum Event {
        /// The handshake is done.
        case opened
        /// The handshake is rejected; without a status, the node was not reached.
        case rejected(status: Int?, retryAfter: Int?)
        case received(ByteBuffer)
        case ended
    }

    let node: SimulatedNode
    private let scheduler: Scheduler
    private let kernel: SimulatedKernel
    /// `nil` after the end.
    private var receiver: ((Event) -> Void)?
    private var descriptor: CInt = -1
    private let head: HTTPRequestHead
    private let network: Network
    private lazy var toNode = Direction(
        on: scheduler, network: network,
        arrived: { [self] bytes in
            // The first piece is the request.
            if descriptor < 0 { shakeHands() } else { socket.receive(bytes) }
        }, ended: { [self] in socket.receiveEnd() })
    private lazy var toUser = Direction(
        on: scheduler, network: network, arrived: { [self] in arrived($0) }, ended: { [self] in end(.ended) })
    private lazy var socket = SimulatedKernel.Socket(
        room: Self.room, sent: { [self] in toUser.send($0) }, shut: { [self] in toUser.end() })

    /// Bytes that fit between a node and a user who does not read.
    private static let room = 200_000

    init(
        to node: SimulatedNode, _ head: HTTPRequestHead, network: Network, kernel: SimulatedKernel,
        on scheduler: Scheduler, _ receiver: @escaping (Event) -> Void
    ) {
        self.node = node
        self.scheduler = scheduler
        self.kernel = kernel
        self.receiver = receiver
        self.head = head
        self.network = network
        toNode.send(ByteBuffer())
    }

    private func shakeHands() {
        guard node.isReady, let gateway = node.parts?.gateway, let loop = node.nextLoop() else {
            return scheduler.call(after: 100_000) { [self] in end(.rejected(status: nil, retryAfter: nil)) }
        }
        descriptor = kernel.open(socket)
        node.run { [self] in
            let rejection = await gateway.serve(
                descriptor, head, from: "10.0.0.1", on: loop, accepted: { [self] in toUser.send(ByteBuffer()) })
            guard let rejection else { return }
            scheduler.call(after: 200_000) { [self] in
                end(.rejected(status: rejection.status, retryAfter: rejection.retryAfter))
            }
        }
    }

    private func arrived(_ bytes: ByteBuffer) {
        guard bytes.readableBytes > 0 else { return receiver?(.opened) ?? () }
        socket.makeRoom(bytes.readableBytes)
        receiver?(.received(bytes))
    }

    private func end(_ event: Event) {
        guard let receiver else { return }
        self.receiver = nil
        toUser.cut()
        receiver(event)
    }

    // MARK: Calls of the user

    var isOpen: Bool { receiver != nil }

    func send(_ bytes: ByteBuffer) { toNode.send(bytes) }

    /// The user hangs up.
    func close() {
        receiver = nil
        toUser.cut()
        toNode.end()
    }

    // MARK: Faults

    /// Both ends find the connection broken.
    func cut() {
        toNode.cut()
        socket.reset()
        end(.ended)
    }

    func freeze() {
        toNode.freeze()
        toUser.freeze()
    }

    func thaw() {
        toNode.thaw()
        toUser.thaw()
    }

    /// The node's machine is gone; the user hears nothing.
    func vanish() {
        toNode.cut()
        toUser.cut()
    }

    /// The process of the node has ended.
    func nodeEnded() { toUser.end() }
}
