import Metrics
import NIOCore
import NIOPosix
import ParleyFanOut
import ParleyMemory
import ParleyModel
import ParleyTestContracts

/// A log, a bus and the event loops of nodes; what a process has, without sockets.
struct FanOutFixture {
    /// Lives as long as the tests do.
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)

    let broker = MemoryBroker()
    let log: MemoryLog
    private let work = WorkPool()

    private init() {
        var settings = MemoryLogSettings(acceptance: .immediately)
        settings.windowEvents = 2000
        log = MemoryLog(bus: broker, history: NaiveStore(), settings: settings)
    }

    /// Runs `body` while the log and the pool run.
    static func run(_ body: (FanOutFixture) async throws -> Void) async throws {
        let fixture = FanOutFixture()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await fixture.log.run() }
            group.addTask { await fixture.work.run() }
            defer { group.cancelAll() }
            try await body(fixture)
        }
    }

    /// A node with two event loops.
    func makeNode(
        bus: (any ThreadBus)? = nil, log: (any MessageLog)? = nil, linger: TimeAmount = .seconds(1),
        headCheck: TimeAmount? = nil, leaveTimeout: TimeAmount = .seconds(1),
        tracer: Tracer = .off
    ) async throws -> FanOut {
        let loops = Self.group.makeIterator().map { $0 as any EventLoop }
        let fanOut = FanOut(
            loops: loops, bus: bus ?? broker.makeBus(), log: log ?? self.log, work: work,
            metrics: FanOutMetrics(factory: NOOPMetricsHandler.instance), tracer: tracer)
        try await fanOut.start(linger: linger, headCheck: headCheck, leaveTimeout: leaveTimeout, timeout: [])
        return fanOut
    }

    func send(_ text: String, in thread: ThreadInfo, origin: ConnectionID? = nil) async throws {
        var draft = Samples.send(text, in: thread.id)
        draft.origin = origin
        _ = try await log.append(draft)
    }

    /// Sends `count` messages from each of several tasks at once.
    func sendMany(_ count: Int, from senders: Int = 4, in thread: ThreadInfo) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for sender in 0..<senders {
                group.addTask {
                    for number in 0..<count { try await send("\(sender).\(number)", in: thread) }
                }
            }
            try await group.waitForAll()
        }
    }

    /// The texts of a thread above a seq, in the order of the log.
    func texts(of thread: ThreadInfo, after seq: Int64 = 0) async throws -> [String] {
        try await log.events(in: thread.id, after: seq, limit: 2000).events.compactMap { event in
            if case .message(let message) = event.body { message.text } else { nil }
        }
    }

    static func room(_ name: String) -> ThreadInfo {
        ThreadInfo(id: Samples.thread(name), kind: .room, title: name)
    }
}
