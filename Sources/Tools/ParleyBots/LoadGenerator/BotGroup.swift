import NIOCore
import NIOPosix
import NIOSSL
import ParleyClientCore
import ParleySockets

/// The bots of one event loop, with their figures and checker. Bound to that loop.
final class BotGroup {
    /// Maximum number of sockets being opened at a time; others are queued.
    static let maximumConnecting = 256

    let loop: any EventLoop
    let isolated: NIOIsolatedEventLoop
    let plan: LoadPlan
    let population: Population
    private let access: TargetAccess
    private let number: Int
    /// The number of groups of the whole load generator.
    private let count: Int
    private(set) var bots: [Bot] = []
    var checker: Checker
    var figures = Figures()
    var random: SeededRandom
    /// The sample of the current second.
    private var sample = Sample()
    private(set) var live = 0
    private var connecting = 0
    /// Polls the sockets that are detached from their channels, once created.
    private(set) var poller: SocketPoller?
    private var wake: PollerWake?
    private var waiting: [Bot] = []
    private var nextWaiting = 0
    /// Something may have been sent.
    var hasBegun = false
    /// The run is over: sockets that close now are not counted.
    var isOver = false
    /// The measured time, by the due time of sends, in monotonic microseconds.
    private var measured: Range<Int64> = 0..<0
    private let threadPrefix: [UInt8]

    /// - Parameters:
    ///   - number: the index among all groups; the group has the bots whose number modulo `count` equals it.
    ///   - count: the number of groups.
    init(
        _ population: Population, plan: LoadPlan, access: TargetAccess, number: Int, of count: Int, loop: any EventLoop
    ) {
        self.loop = loop
        isolated = loop.assumeIsolated()
        self.plan = plan
        self.population = population
        self.access = access
        self.number = number
        self.count = count
        random = SeededRandom(seed: plan.seed &* 1_000_003 &+ UInt64(number))
        threadPrefix = Array("\(population.run).t".utf8)
        var memberships: [BotMembership] = []
        let own = stride(from: number, to: population.botCount, by: count)
        for bot in own {
            for thread in population.threads[bot] {
                memberships.append(BotMembership(bot: Int32(bot), thread: thread, isClassic: population.isClassic[bot]))
            }
        }
        checker = Checker(threads: population.members.count, memberships: memberships, mayRollBack: plan.mayRollBack)
        var firstMembership = 0
        for bot in own {
            bots.append(
                Bot(
                    number: bot, botGroup: self, threads: population.threads[bot], firstMembership: firstMembership,
                    isClassic: population.isClassic[bot], pace: population.isSlow[bot] ? plan.slowBytesPerSecond : nil))
            firstMembership += population.threads[bot].count
        }
    }

    // MARK: Called by bots

    func after(microseconds: Int64, _ body: @escaping () -> Void) {
        isolated.scheduleTask(in: .microseconds(max(0, microseconds)), body)
    }

    /// - Parameter instant: in monotonic time.
    func after(_ instant: Duration, _ body: @escaping () -> Void) {
        after(microseconds: instant.microseconds - MonotonicClock.now(), body)
    }

    func fail(_ code: String) {
        figures.fail(code)
        sample.errors += 1
    }

    /// The number of a thread of this run.
    func thread(_ id: UnsafeRawBufferPointer) -> Int? {
        guard id.count > threadPrefix.count, id.count < threadPrefix.count + 8 else { return nil }
        var number = 0
        for index in id.indices {
            if index < threadPrefix.count {
                guard id[index] == threadPrefix[index] else { return nil }
            } else {
                guard id[index] >= UInt8(ascii: "0"), id[index] <= UInt8(ascii: "9") else { return nil }
                number = number * 10 + Int(id[index] - UInt8(ascii: "0"))
            }
        }
        return number < population.members.count ? number : nil
    }

    func thread(_ id: String) -> Int? {
        var id = id
        return id.withUTF8 { thread(UnsafeRawBufferPointer($0)) }
    }

    func isMeasured(_ scheduled: Int64) -> Bool { measured.contains(scheduled) }

    func delivered(_ tag: MessageTagText, after latency: Int64, node: UInt32) {
        sample.delivery.record(latency)
        guard isMeasured(tag.scheduled) else { return }
        if tag.node == 0 || node == 0 {
            figures.unknown.record(latency)
        } else if tag.node == node {
            figures.own.record(latency)
        } else {
            figures.other.record(latency)
        }
    }

    func acked(_ entry: UnansweredSends.Entry, at now: Int64) {
        figures.acked += 1
        sample.acked += 1
        sample.ack.record(now - entry.scheduled)
        if isMeasured(entry.scheduled) { figures.ack.record(now - entry.scheduled) }
    }

    func stored(_ entry: UnansweredSends.Entry, at now: Int64) {
        figures.stored += 1
        if isMeasured(entry.scheduled) { figures.storedAck.record(now - entry.scheduled) }
    }

    func becameLive(_ bot: Bot) { live += 1 }

    func endedLife(_ bot: Bot) {
        live -= 1
        sample.fewest = min(sample.fewest, live)
        figures.losses += 1
    }

    // MARK: Sockets

    /// Lets a bot connect, at once or when a slot is free.
    func admit(_ bot: Bot) {
        waiting.append(bot)
        admitNext()
    }

    private func admitNext() {
        while connecting < Self.maximumConnecting, nextWaiting < waiting.count {
            let bot = waiting[nextWaiting]
            nextWaiting += 1
            if nextWaiting > 1024, nextWaiting * 2 > waiting.count {
                waiting.removeFirst(nextWaiting)
                nextWaiting = 0
            }
            bot.connect()
        }
    }

    /// Opens a socket for `bot`.
    func open(_ bot: Bot, attempt: Int) {
        connecting += 1
        let endpoint = access.endpoints[attempt % access.endpoints.count]
        let socket = BotSocket(
            bot, request: access.upgradeRequest(for: bot, at: endpoint), pace: bot.pace,
            isCompressed: population.isCompressed[bot.number], isPlain: access.tls(for: endpoint) == nil)
        bot.socket = socket
        let bound = NIOLoopBound((bot, socket), eventLoop: loop)
        let (access, pace) = (access, bot.pace)
        let room = pace.map { min(1024, $0) } ?? (population.botCount > 5000 ? 2048 : 16_384)
        var bootstrap = ClientBootstrap(group: loop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: room))
            .connectTimeout(.seconds(10))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls = access.tls(for: endpoint) { try channel.pipeline.syncOperations.addHandler(try tls()) }
                    try channel.pipeline.syncOperations.addHandler(bound.value.1)
                }
            }
        if pace != nil {
            bootstrap = bootstrap.channelOption(.autoRead, value: false)
                .channelOption(.socketOption(.so_rcvbuf), value: 4096)
        }
        if plan.sources > 0, endpoint.isLoopback,
            let source = try? SocketAddress(ipAddress: "127.0.0.\(2 + bot.number % plan.sources)", port: 0)
        {
            bootstrap = bootstrap.bind(to: source)
        }
        bootstrap.connect(to: endpoint.address).assumeIsolated().whenComplete { [self] result in
            connecting -= 1
            switch result {
            case .success(let channel):
                if isOver || socket !== bot.socket { channel.close(promise: nil) }
            case .failure(let error): bot.connectFailed(error)
            }
            admitNext()
        }
    }

    // MARK: Called by the worker

    /// Opens the sockets at the planned rate, and monitors them from now on.
    func connectAll() {
        watchSockets()
        listen()
        let pace = plan.connectRate / Double(count)
        let start = MonotonicClock.now()
        var next = 0
        func go() {
            let due = min(bots.count, 1 + Int(Double(MonotonicClock.now() - start) / 1e6 * pace))
            while next < due {
                admit(bots[next])
                next += 1
            }
            if next < bots.count, !isOver { after(microseconds: 5000, go) }
        }
        go()
    }

    /// Creates the poller, so that sockets can be detached from their channels.
    private func watchSockets() {
        guard let poller = try? SocketPoller(eventLoop: loop), let wake = try? PollerWake.start(for: poller) else {
            return
        }
        wake.assumeIsolated().whenSuccess { [self] wake in
            (self.poller, self.wake) = (poller, wake.value)
            // All bots may be gone before the poller was created.
            if bots.isEmpty { tearDown() }
        }
    }

    /// Pings and closes silent sockets, every few seconds.
    private func listen() {
        guard !isOver else { return }
        let now = MonotonicClock.now()
        for bot in bots { bot.check(now) }
        after(microseconds: 5_000_000) { [self] in listen() }
    }

    /// Starts sending; see `WorkerCommand.begin`.
    func begin(start: Int64, measured: Int64, end: Int64) {
        hasBegun = true
        self.measured = measured..<end
        let scheduler = SendScheduler(self)
        self.scheduler = scheduler
        scheduler.run(from: start, until: end)
    }

    /// Returns the sample of the last second.
    func takeSample() -> Sample {
        var taken = sample
        taken.scheduled = figures.scheduled - before.scheduled
        taken.delivered = figures.delivered - before.delivered
        before = (figures.scheduled, figures.delivered)
        taken.connected = live
        sample = Sample()
        sample.fewest = live
        return taken
    }

    /// The counts at the end of the last second.
    private var before = (scheduled: 0, delivered: 0)
    var scheduler: SendScheduler?

    /// The number of bots that have something pending, or no live socket.
    var busy: Int { bots.count { !$0.isAtRest } }

    /// Stops pacing slow readers, after sends have stopped.
    func readAtFullSpeed() {
        scheduler?.stop()
        for bot in bots where bot.pace != nil { bot.readAtFullSpeed() }
    }

    /// Closes all sockets; records what is still pending.
    func end() {
        for bot in bots {
            if bot.state != .live {
                checker.absent(bot.number, "it has no open socket; last error: \(bot.lastError)")
            }
            if bot.state == .live {
                for entry in bot.unanswered.entries {
                    checker.unanswered(
                        MessageTag(bot: bot.number, number: entry.number), bot.firstMembership + entry.membership)
                }
                bot.noteUnfetched()
            }
        }
        isOver = true
        for bot in bots { bot.end() }
    }

    /// Releases all bots; the group must not be used afterwards.
    func tearDown() {
        scheduler = nil
        bots = []
        waiting = []
        poller = nil
        wake?.stop()
        wake = nil
    }

    /// By bot and thread, where read cursors were moved to, and whether one of the moves was acknowledged.
    var moves: [ReadMoves] {
        bots.flatMap { bot in
            Dictionary(grouping: bot.moves, by: \.membership).map { membership, moves in
                ReadMoves(
                    bot: bot.number, thread: Int(bot.threads[membership]), seqs: Set(moves.map(\.seq)),
                    isCertain: moves.contains(where: \.isKept))
            }
        }
    }
}
