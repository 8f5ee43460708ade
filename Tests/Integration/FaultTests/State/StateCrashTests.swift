import ParleyTestServers
import ParleyTestSupport
import Synchronization
import Testing

/// Members, roles, titles, visibilities, invitations, groups, blocks, sessions and accounts change while gateways and persisters are killed at random instants;
/// afterwards log, tables, sockets' rights and Redis agree.
@Suite("State changes survive kill -9", .serialized, .timeLimit(.minutes(30)))
struct StateCrashTests {
    private static let workers = 4
    /// Sockets that stay through all faults; one that is lost is opened again, as a client would.
    private static let watchers = 8

    @Test(
        "kill -9 at random instants during changes of members, roles, rooms, invitations, blocks, sessions and accounts"
    )
    func crashes() async throws {
        let operations = isSoak ? 5000 : 400
        let seed = UInt64.random(in: 1...999_999)
        print("seed \(seed)")
        let cluster = try await Cluster.start(
            gateways: 2, persisters: 2,
            environment: ["PARLEY_LIMITS_SENDS_PER_SECOND": "0", "PARLEY_LIMITS_CONNECTIONS_PER_ADDRESS": "0"])
        let model = StateModel(rooms: 10, users: 40)
        try await model.create(on: cluster)
        var watchers: [(user: String, socket: TestSocket)] = []
        for (index, user) in model.users.prefix(Self.watchers).enumerated() {
            watchers.append(
                (user, try await StateReader.socket(of: user, at: cluster.gateways[index % cluster.gateways.count])))
        }
        let kills = KillCount()
        let killing = Task { try await Self.kill(cluster, seed: seed, kills) }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<Self.workers {
                group.addTask {
                    var worker = StateWorker(
                        number, of: Self.workers, cluster: cluster, model: model, seed: seed)
                    // However fast the machine is, the faults must strike.
                    for _ in 0..<50 {
                        await worker.run(operations: operations / Self.workers)
                        if kills.value >= operations / 100 { break }
                    }
                }
            }
        }
        killing.cancel()
        try await killing.value
        print("\(kills.value) kills during \(model.operations.sorted { $0.key < $1.key })")
        // A run in which nothing was killed, or nothing answered, proves nothing.
        #expect(kills.value >= operations / 100)
        #expect(model.operations.filter { !$0.key.hasSuffix("unanswered") }.values.reduce(0, +) > operations / 3)

        let reader = StateReader(cluster: cluster, model: model)
        try await reader.waitUntilQuiet()
        let living = Set(model.living)
        for (index, watcher) in watchers.enumerated() where living.contains(watcher.user) {
            // Those whose node was killed come back.
            guard await !Self.responses(watcher.socket) else { continue }
            watchers[index].socket = try await StateReader.socket(of: watcher.user, at: cluster.gateways[0])
        }
        let violations = StateChecker.check(
            try await reader.facts(old: watchers.filter { living.contains($0.user) }))
        #expect(violations == [], "seed \(seed): \(violations.prefix(20))\n\(cluster.logs())")
        try await cluster.stop()
    }

    private static func responses(_ socket: TestSocket) async -> Bool {
        do {
            try await socket.send(json: ["ping": 1, "ref": 1])
            _ = try await socket.nextJSON { $0["ref"]?.int == 1 }
            return true
        } catch {
            return false
        }
    }

    /// Kills a process every now and then and starts it again, until the task is cancelled.
    private static func kill(_ cluster: Cluster, seed: UInt64, _ kills: KillCount) async throws {
        var random = SeededGenerator(seed &* 31)
        while (try? await Task.sleep(for: .milliseconds(Int.random(in: 200...1200, using: &random)))) != nil {
            let processes = cluster.gateways + cluster.persisters
            guard let victim = processes.randomElement(using: &random) else { break }
            // Even when the task is cancelled meanwhile, the process is there again afterwards.
            try await Task { try await victim.restart() }.value
            kills.add()
        }
    }

    private final class KillCount: Sendable {
        private let count = Atomic(0)

        var value: Int { count.load(ordering: .relaxed) }

        func add() { count.add(1, ordering: .relaxed) }
    }
}
