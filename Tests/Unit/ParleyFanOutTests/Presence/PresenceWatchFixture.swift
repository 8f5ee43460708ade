import NIOCore
import NIOPosix
import ParleyFanOut
import ParleyMemory
import ParleyModel
import ParleyTestContracts
import ParleyTestSupport
import Synchronization

/// Nodes in memory with a clock that stands still; the test defines who shares a thread.
final class PresenceWatchFixture: Sendable {
    struct Node: Sendable {
        let watch: PresenceWatch
        let loop: any EventLoop
        let presenceRegistry: CrashablePresenceRegistry
        let bus: any ThreadBus
    }

    let clock = TestClock(milliseconds: 1_000_000)
    let broker = MemoryBroker()
    let presence: MemoryPresence
    let nodes: [Node]
    let lookUp: LookUp
    private let work = WorkPool()
    private let running: Task<Void, Never>

    init(nodes count: Int = 2, _ settings: PresenceSettings = .init()) {
        presence = MemoryPresence(broker: broker, clock: clock.wall)
        let pool = work
        running = Task { await pool.run() }
        let lookUp = LookUp()
        self.lookUp = lookUp
        var nodes: [Node] = []
        for _ in 0..<count {
            let presenceRegistry = CrashablePresenceRegistry(presence.makeRegistry())
            let bus = broker.makeBus()
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            let watch = PresenceWatch(
                loop: loop, presenceRegistry: presenceRegistry, bus: bus, work: work, settings: settings,
                clock: clock.wall, peers: { try lookUp.peers($0) })
            bus.attach { signal in
                watch.observed(signal)
            }
            nodes.append(Node(watch: watch, loop: loop, presenceRegistry: presenceRegistry, bus: bus))
        }
        self.nodes = nodes
    }

    /// Lets time pass by so many milliseconds, in steps of a tick.
    func pass(_ milliseconds: Int64) async {
        for _ in 0..<(milliseconds / 100) {
            clock.milliseconds += 100
            for node in nodes { await node.watch.tick() }
        }
    }

    /// Watches and waits until it is answered.
    func watch(
        _ node: Int, _ connection: String, by user: String, _ users: [String],
        _ heard: ParleyTestSupport.Recorder<UserPresence>
    ) async -> Result<Void, SharedStoreError> {
        await withCheckedContinuation { continuation in
            nodes[node].watch.watch(
                ConnectionID(trusted: connection), by: UserID(trusted: user), users.map { UserID(trusted: $0) },
                deliver: { for presence in $0 { heard.record(presence) } },
                completion: { continuation.resume(returning: $0) })
        }
    }

    func stop() async {
        work.finish()
        await running.value
    }

    final class LookUp: Sendable {
        struct State: Sendable {
            var strangers: Set<UserID> = []
            var isAway = false
            /// How many look-ups there were.
            var count = 0
        }

        let state = Mutex(State())

        func peers(_ others: [UserID: Set<UserID>]) throws -> [UserID: Set<UserID>] {
            try state.withLock { state in
                if state.isAway { throw SharedStoreError.unavailable("away") }
                state.count += 1
                return others.reduce(into: [:]) { shared, question in
                    guard !state.strangers.contains(question.key) else { return }
                    shared[question.key] = question.value.subtracting(state.strangers)
                }
            }
        }
    }
}

extension UserPresence {
    /// `ann+` or `ann-`.
    var text: String { user.text + (isOnline ? "+" : "-") }
}
