import NIOCore
import ParleyRedisClient
import ParleyRedisModel

/// The machine of a simulated Redis server, and the connections that nodes have to it.
///
/// Confined to the simulator's only thread.
final class RedisMachine: RedisTransport, @unchecked Sendable {
    // `@unchecked Sendable`: the simulator has one thread.
    private let scheduler: Scheduler
    private let network: Network
    private let story: Story
    private(set) var server: RedisServerModel
    private var lines: [RedisLine] = []
    private var paths: [String: Path] = [:]
    /// One delivery in so many to the subscriber of a node is lost.
    private var losses: [String: Int] = [:]
    private var generator: SeededGenerator
    private var advanceAt = Int64.max
    /// Whether the machine answers at all; not while it has no power.
    private var hasPower = true
    /// The offset of its wall clock from the world's, in nanoseconds.
    var skew: Int64 = 0

    /// Which directions between a node and this machine are frozen.
    struct Path {
        var toServer = false
        var toNode = false
    }

    init(
        _ configuration: RedisServerModel.Configuration, seed: UInt64, network: Network, on scheduler: Scheduler,
        story: Story
    ) {
        self.scheduler = scheduler
        self.story = story
        generator = SeededGenerator(seed: seed, purpose: 7)
        self.network = network
        server = RedisServerModel(configuration, seed: seed, at: scheduler.wallNow / 1000)
    }

    /// The server's wall clock, in microseconds.
    var microseconds: Int64 { (scheduler.wallNow + skew) / 1000 }

    // MARK: Connections

    func connect(
        to endpoint: RedisEndpoint, encryption: RedisEncryption?, timeout: Duration, on eventLoop: any EventLoop,
        _ receiver: any RedisReceiver
    ) {
        guard let loop = eventLoop as? SimulatedEventLoop else { return receiver.ended("no simulated event loop") }
        let line = RedisLine(self, loop, receiver, network: network, on: scheduler)
        let path = paths[loop.process.name] ?? Path()
        lines.append(line)
        line.freeze(path)
        line.open(within: timeout.nanoseconds)
    }

    /// A SYN has arrived.
    fileprivate func accept(_ line: RedisLine) {
        guard hasPower else { return }
        line.id = server.connect()
        if line.id == nil { line.toNode.end() } else { line.toNode.send(ByteBuffer()) }
    }

    fileprivate func receive(_ bytes: ByteBuffer, from line: RedisLine) {
        guard hasPower else { return }
        guard let id = line.id else { return line.toNode.end() }
        story.remark("redis", "from \(line.process.name), \(id.number): \(bytes.excerpt)")
        deliver(server.receive(bytes, from: id, at: microseconds))
    }

    fileprivate func disconnected(_ line: RedisLine) {
        guard hasPower, let id = line.id else { return }
        line.id = nil
        server.disconnected(id)
    }

    fileprivate func forget(_ line: RedisLine) {
        lines.removeAll { $0 === line }
    }

    private func deliver(_ outputs: [ServerOutput]) {
        for output in outputs {
            switch output {
            case .send(let bytes, let id):
                story.remark("redis", "to \(id.number): \(bytes.excerpt)")
                guard let line = lines.first(where: { $0.id == id }), !isLost(bytes, to: line) else { continue }
                line.toNode.send(bytes)
            case .close(let id): lines.first { $0.id == id }?.closedByServer()
            }
        }
        guard let next = server.nextDeadline, next < advanceAt else { return }
        advanceAt = next
        scheduler.call(after: max(0, next - microseconds) * 1000 + 1000) { [self] in
            advanceAt = .max
            if server.isRunning { deliver(server.advance(to: microseconds)) }
        }
    }

    private func isLost(_ bytes: ByteBuffer, to line: RedisLine) -> Bool {
        guard let times = losses[line.process.name], times > 0, bytes.readableBytesView.starts(with: Self.message)
        else { return false }
        return generator.once(in: times)
    }

    /// The beginning of a delivery to a subscriber.
    private static let message = Array("*3\r\n$7\r\nmessage\r\n".utf8)

    // MARK: Faults of the server

    /// The process ends or is killed; its kernel closes the connections.
    func end() {
        server.end()
        for line in lines where line.id != nil { line.closedByServer() }
    }

    /// The machine fails; its peers hear nothing until it is back.
    func losePower() {
        server.losePower()
        hasPower = false
        for line in lines { line.id = nil }
    }

    /// The process starts again, with what the disk has, or something else.
    func start(isEmpty: Bool = false, from earlier: RedisServerModel? = nil, loading: Int64 = 0) {
        hasPower = true
        if let earlier { server.restoreData(of: earlier) }
        server.start(at: microseconds, isEmpty: isEmpty, loading: loading)
        // Connections of the time before get a reset when their bytes arrive.
    }

    // MARK: Faults of the network

    /// Freezes or thaws the directions between a node and this machine.
    func setPath(_ path: Path, of node: String) {
        paths[node] = path
        for line in lines where line.process.name == node { line.freeze(path) }
    }

    /// Loses one delivery in so many to the subscriber of a node; 0 for none.
    func setLoss(_ times: Int, of node: String) { losses[node] = times }

    /// Breaks all connections of a node.
    func cut(_ node: String) {
        for line in lines where line.process.name == node { line.cut() }
    }

    /// The process of a node has ended.
    /// - Parameter isGone: its machine is gone too, and says nothing.
    func processEnded(_ process: SimulatedProcess, isGone: Bool) {
        for line in lines where line.process === process {
            if isGone { line.vanish() } else { line.toServer.end() }
        }
    }
}

/// One connection of a node.
final class RedisLine: RedisConnection {
    private unowned let machine: RedisMachine
    private let loop: SimulatedEventLoop
    private let scheduler: Scheduler
    /// `nil` after the end.
    private var receiver: (any RedisReceiver)?
    private var isOpen = false
    private var written = ByteBuffer()
    private let network: Network
    fileprivate lazy var toServer = Direction(
        on: scheduler, network: network,
        arrived: { [self] in
            // The first piece is the SYN.
            if $0.readableBytes == 0 { machine.accept(self) } else { machine.receive($0, from: self) }
        }, ended: { [self] in machine.disconnected(self) })
    fileprivate lazy var toNode = Direction(
        on: scheduler, network: network, arrived: { [self] in arrived($0) },
        ended: { [self] in onLoop { $0.ended("closed by Redis") } })
    /// On the server.
    fileprivate var id: ServerConnectionID?

    var process: SimulatedProcess { loop.process }

    fileprivate init(
        _ machine: RedisMachine, _ loop: SimulatedEventLoop, _ receiver: any RedisReceiver, network: Network,
        on scheduler: Scheduler
    ) {
        self.machine = machine
        self.loop = loop
        self.receiver = receiver
        self.network = network
        self.scheduler = scheduler
    }

    fileprivate func open(within timeout: Int64) {
        toServer.send(ByteBuffer())
        scheduler.call(as: loop.process, after: timeout) { [self] in
            if !isOpen { onLoop { $0.ended("timed out") } }
        }
    }

    private func arrived(_ bytes: ByteBuffer) {
        onLoop { line in
            if bytes.readableBytes > 0 {
                line.receiver?.received(bytes)
            } else if line.receiver != nil {
                line.isOpen = true
                line.receiver?.opened(line)
            }
        }
    }

    private func onLoop(_ body: @escaping (RedisLine) -> Void) {
        nonisolated(unsafe) let (line, body) = (self, body)
        loop.execute { body(line) }
    }

    private func ended(_ reason: String) {
        guard let receiver else { return }
        self.receiver = nil
        machine.forget(self)
        toNode.cut()
        receiver.ended(reason)
    }

    // MARK: Calls of the node

    func write(_ bytes: ByteBuffer) { written.writeImmutableBuffer(bytes) }

    func flush() {
        guard written.readableBytes > 0 else { return }
        if receiver != nil { toServer.send(written) }
        written = ByteBuffer()
    }

    func close() {
        toServer.end()
        onLoop { $0.ended("closed") }
    }

    // MARK: Faults

    fileprivate func freeze(_ path: RedisMachine.Path) {
        if path.toServer { toServer.freeze() } else { toServer.thaw() }
        if path.toNode { toNode.freeze() } else { toNode.thaw() }
    }

    fileprivate func closedByServer() {
        id = nil
        toNode.end()
    }

    /// Both ends find the connection broken.
    fileprivate func cut() {
        toServer.cut()
        toNode.cut()
        machine.disconnected(self)
        onLoop { $0.ended("connection reset") }
    }

    /// The node's machine is gone.
    fileprivate func vanish() {
        toServer.cut()
        toNode.cut()
    }
}

extension ByteBuffer {
    /// The beginning, on one line.
    fileprivate var excerpt: String {
        let text = String(decoding: readableBytesView.prefix(400), as: UTF8.self)
        return text.split(whereSeparator: { $0.isNewline }).joined(separator: " ")
    }
}
