import Logging
import NIOCore
import NIOPosix

/// What uses a connection; called on its event loop.
protocol RedisLinkOwner: AnyObject {
    func linkBecameReady()
    func linkBecameLost(_ reason: String)
    func linkReceived(_ answer: RESPValue)
    /// Is to send a PING in its order among the owner's commands.
    func linkWantsPing()
}

/// One connection to Redis that comes back by itself: performs what a `ConnectionMachine` says.
///
/// Owned by its event loop: used on it only, from `start` on.
final class RedisLink {
    private let address: RedisAddress
    private let eventLoop: any EventLoop
    private let settings: RedisLinkSettings
    private let logger: Logger
    private var machine: ConnectionMachine
    private var channel: (any Channel)?
    private var health: Scheduled<Void>?
    /// Set before `start`.
    weak var owner: (any RedisLinkOwner)?

    init(
        _ address: RedisAddress, eventLoop: any EventLoop, settings: RedisLinkSettings, scripts: [String] = [],
        logger: Logger
    ) {
        self.address = address
        self.eventLoop = eventLoop
        self.settings = settings
        self.logger = logger
        machine = ConnectionMachine(
            greeting: ConnectionMachine.greeting(of: address, scripts: scripts), backoff: settings.backoff)
    }

    var isReady: Bool { machine.isReady }
    var reason: String { machine.reason }

    func start() {
        scheduleTick()
        perform(machine.started())
    }

    private func scheduleTick() {
        let interval = TimeAmount(settings.silence / 3)
        health = eventLoop.assumeIsolated().scheduleTask(in: interval) { [weak self] in
            guard let self else { return }
            perform(machine.ticked())
            scheduleTick()
        }
    }

    func stop() {
        health?.cancel()
        health = nil
        perform(machine.stopped())
    }

    func write(_ bytes: ByteBuffer) {
        channel?.write(bytes, promise: nil)
    }

    func flush() {
        channel?.flush()
    }

    // MARK: What the handler tells

    func received(_ buffer: ByteBuffer, by reader: RESPReader) {
        machine.heard()
        do throws(RESPReader.Flaw) {
            try buffer.withUnsafeReadableBytesTyped { bytes throws(RESPReader.Flaw) in try reader.feed(bytes) }
            while let answer = try reader.next() {
                let (isGreeting, actions) = machine.answered(answer)
                perform(actions)
                if !isGreeting, machine.isReady { owner?.linkReceived(answer) }
            }
        } catch {
            logger.error("Redis sends what cannot be read", metadata: ["redis": "\(address)", "error": "\(error)"])
            perform(machine.misunderstood("unreadable: \(error)"))
        }
    }

    func ended(_ reason: String) {
        channel = nil
        var generator = SystemRandomNumberGenerator()
        perform(machine.ended(reason, using: &generator))
    }

    // MARK: Performing

    private func perform(_ actions: [ConnectionMachine.Action]) {
        for action in actions { perform(action) }
    }

    private func perform(_ action: ConnectionMachine.Action) {
        switch action {
        case .connect:
            connect()
        case .greet(let commands):
            for command in commands { write(command.bytes) }
            flush()
        case .becomeReady:
            logger.info("Redis is connected", metadata: ["redis": "\(address)"])
            owner?.linkBecameReady()
        case .becomeLost(let reason):
            logger.warning("Redis is lost", metadata: ["redis": "\(address)", "reason": "\(reason)"])
            owner?.linkBecameLost(reason)
        case .ping:
            owner?.linkWantsPing()
        case .close:
            channel?.close(promise: nil)
        case .wait(let duration):
            logger.debug("Redis is tried again", metadata: ["redis": "\(address)", "reason": "\(machine.reason)"])
            eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(duration)) { [weak self] in
                guard let self else { return }
                perform(machine.waited())
            }
        }
    }

    private func connect() {
        guard !address.usesTLS else {
            return ended("this build has no TLS for Redis")
        }
        let link = NIOLoopBound(self, eventLoop: eventLoop)
        let limits = settings.limits
        let bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(TimeAmount(settings.connectTimeout))
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(.maxMessagesPerRead, value: 16)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let reader = RESPReader(limits) else { throw RedisError.overloaded }
                    try channel.pipeline.syncOperations.addHandler(RedisHandler(link.value, reader))
                }
            }
        let future =
            switch address.place {
            case .tcp(let host, let port): bootstrap.connect(host: host, port: port)
            case .unix(let path): bootstrap.connect(unixDomainSocketPath: path)
            }
        future.assumeIsolated().whenComplete { [weak self] result in
            switch result {
            case .success(let channel):
                guard let self else { return channel.close(promise: nil) }
                guard channel.isActive else { return ended("closed at once") }
                self.channel = channel
                perform(machine.connected())
            case .failure(let error):
                self?.ended("\(error)")
            }
        }
    }
}

/// Bytes of a channel to its link.
private final class RedisHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private weak var link: RedisLink?
    private let reader: RESPReader
    private var failure: (any Error)?

    init(_ link: RedisLink, _ reader: RESPReader) {
        self.link = link
        self.reader = reader
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        link?.received(unwrapInboundIn(data), by: reader)
    }

    func channelInactive(context: ChannelHandlerContext) {
        link?.ended(failure.map { "\($0)" } ?? "closed by Redis")
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        failure = error
        context.close(promise: nil)
    }
}

extension ByteBuffer {
    /// With typed throws, which NIO's own does not have.
    fileprivate func withUnsafeReadableBytesTyped<Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        let result: Result<Void, Failure> = withUnsafeReadableBytes { bytes in
            do throws(Failure) {
                return .success(try body(bytes))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}
