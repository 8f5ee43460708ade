import NIOCore
import NIOPosix
import NIOSSL
import ParleyModel
import Synchronization

/// Virtual users on a cluster: they connect, send by plan, come to rest, and give a verdict.
///
/// ```swift
/// let fleet = try await BotFleet.start(plan, settings)
/// try await fleet.run()
/// let report = try await fleet.finish()
/// ```
///
/// All state is that of the squads, each in this process or one of its own; `finish()` or `abandon()` must be called,
/// which ends their threads. The calls belong to one task at a time, but for `figures`, `liveCount` and `cutShort`, which
/// are for whoever disturbs the cluster while it runs.
package final class BotFleet: Sendable {
    package let plan: LoadPlan
    package let world: World
    private let settings: FleetSettings
    private let metricsDoors: [Door]
    private let rest: RESTService
    private let group: MultiThreadedEventLoopGroup
    private let squads: [any Squad]
    private let record: Recording
    private let isOver = Atomic<Bool>(false)

    private init(
        plan: LoadPlan, settings: FleetSettings, world: World, metricsDoors: [Door], rest: RESTService,
        group: MultiThreadedEventLoopGroup, squads: [any Squad]
    ) {
        self.plan = plan
        self.settings = settings
        self.world = world
        self.metricsDoors = metricsDoors
        self.rest = rest
        self.group = group
        self.squads = squads
        record = Recording()
    }

    /// Makes users and threads, and opens all sockets.
    /// - Parameters:
    ///   - run: what all ids of this run begin with: short, of letters and digits, never used before.
    ///   - note: told in a few words what is being done.
    /// - Throws: `PlanFlaw`, `RESTFailure`, `FleetFailure`.
    package static func start(
        _ plan: LoadPlan, _ settings: FleetSettings, run: String? = nil,
        note: @Sendable (String) -> Void = { _ in }
    ) async throws -> BotFleet {
        if let flaw = plan.flaw { throw flaw }
        let workers = try workers(plan, settings)
        guard let first = settings.urls.first else { throw PlanFlaw("no URL of a server") }
        let doors = try settings.urls.map { try Door($0) }
        let restDoor = try Door(settings.rest ?? first)
        var names: Set<String> = []
        let others =
            settings.metrics.isEmpty
            ? (doors + [restDoor]).filter { names.insert($0.authority).inserted }
            : try settings.metrics.map { try Door($0) }
        let run = run ?? newRun()
        let world = World(plan, run: run)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let rest = RESTService(
                door: restDoor, apiKey: settings.apiKey,
                tls: try restDoor.isTLS ? TLS.context(isLenient: settings.isLenient) : nil, loop: group.next())
            note("making \(world.botCount) users and \(world.threadIDs.count) threads (run \(run))")
            let password = plan.logsIn ? "\(run) is no secret" : nil
            try await rest.make(world, password: password)
            var logins: [(session: String, time: Int64)] = []
            if let password {
                note("logging \(world.botCount) users in")
                logins = try await rest.logIn(world, password: password)
            }
            let task = SquadTask(
                plan: plan, urls: settings.urls, apiKey: settings.apiKey, isLenient: settings.isLenient, run: run,
                sessions: logins.map(\.session), number: 0, count: workers)
            let squads: [any Squad]
            if workers == 1 {
                squads = [try await LocalSquad.make(task, world: world)]
            } else {
                note("starting \(workers) workers")
                squads = try await WorkerSquad.start(task, program: settings.program ?? "", on: group.next())
            }
            let fleet = BotFleet(
                plan: plan, settings: settings, world: world, metricsDoors: others, rest: rest, group: group,
                squads: squads)
            fleet.record.logins(logins.map(\.time))
            note("connecting \(world.botCount) bots")
            do { try await fleet.connect() } catch {
                _ = try? await fleet.ask(.dissolve)
                throw error
            }
            return fleet
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    /// How many processes drive the bots: those of the plan, or as many as their open files need.
    private static func workers(_ plan: LoadPlan, _ settings: FleetSettings) throws -> Int {
        guard settings.program != nil else {
            guard plan.workers == 1 else { throw PlanFlaw("workers need the program that they are to run") }
            return 1
        }
        guard plan.workers == 1, let flaw = OpenFiles.flaw(for: plan.bots) else { return plan.workers }
        // Half of the files each, so that no process is at its limit.
        guard let workers = (2...8).first(where: { OpenFiles.flaw(for: plan.bots / $0) == nil }) else { throw flaw }
        return workers
    }

    /// Letters and digits that no run before has had: those of the present instant.
    private static func newRun() -> String {
        "b" + String(UInt64.random(in: 0..<(1 << 40)), radix: 36)
    }

    // MARK: Squads

    /// Gives all squads the same order, at once.
    private func ask(_ order: SquadOrder) async throws -> [SquadReport] {
        if squads.count == 1 { return [try await squads[0].carryOut(order)] }
        return try await withThrowingTaskGroup(of: SquadReport.self) { group in
            for squad in squads { group.addTask { try await squad.carryOut(order) } }
            var reports: [SquadReport] = []
            for try await report in group {
                if case .failed(let reason) = report { throw FleetFailure(description: reason) }
                reports.append(report)
            }
            return reports
        }
    }

    /// The sum of what all squads count.
    private func count(_ order: SquadOrder) async throws -> Int {
        try await ask(order).reduce(0) { if case .count(let count) = $1 { $0 + count } else { $0 } }
    }

    private func status() async -> ServerStatus {
        await ServerStatus.read(metricsDoors, on: group.next(), isLenient: settings.isLenient)
    }

    /// Processor seconds of this tool, its workers included.
    private func ownSeconds() async throws -> Double {
        guard squads.first is WorkerSquad else { return ProcessTime.seconds() }
        return try await ask(.processTime).reduce(ProcessTime.seconds()) {
            if case .seconds(let seconds) = $1 { $0 + seconds } else { $0 }
        }
    }

    /// What the last second gave; for progress.
    package func sample(at time: Double, length: Double) async throws -> Sample {
        var whole = Sample()
        for case .sample(let part) in try await ask(.sample) { whole.add(part) }
        (whole.time, whole.length) = (time, length)
        record.add(whole)
        return whole
    }

    /// Everything counted so far.
    package func figures() async throws -> Figures {
        var whole = Figures()
        for case .figures(let part) in try await ask(.figures) { whole.add(part) }
        return whole
    }

    /// How many bots are connected and up to date.
    package func liveCount() async throws -> Int {
        try await count(.live)
    }

    private func connect() async throws {
        record.status(.beforeConnect, await status())
        _ = try await ask(.connect)
        let limit = ContinuousClock.now + .seconds(60 + Double(plan.bots) / plan.connectRate)
        while true {
            let live = try await liveCount()
            if live == plan.bots { break }
            guard ContinuousClock.now < limit else {
                let errors = try await figures().errors.sorted { $0.value > $1.value }.prefix(5)
                let what = errors.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
                throw FleetFailure(description: "only \(live) of \(plan.bots) bots are connected; errors: \(what)")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        _ = try await ask(.sample)
        // The first burst of work is over; what is resident now is for the sockets.
        try await Task.sleep(for: .milliseconds(500))
        record.status(.connected, await status())
    }

    // MARK: Load

    /// Sends by plan: warm-up, then the time that is measured. The caller may disturb the cluster meanwhile; a task that
    /// is cancelled ends the load early, and what has happened so far can be judged.
    /// - Parameter progress: called once a second.
    package func run(progress: @Sendable (Sample) -> Void = { _ in }) async throws {
        let start = MonotoneClock.now() + 50_000
        let measured = start + Int64(plan.warmUp * 1e6)
        let end = measured + Int64(plan.duration * 1e6)
        if plan.totalRate > 0, Generator.total(world) <= 0 {
            throw PlanFlaw("nobody sends: there are no threads, or readers only")
        }
        _ = try await ask(.begin(start: start, measured: measured, end: end))
        var before = MonotoneClock.now()
        var hasMeasured = false
        while MonotoneClock.now() < end, !isOver.load(ordering: .relaxed) {
            let second = before + 1_000_000
            let wake = min(second, end, hasMeasured ? end : measured)
            do { try await Task.sleep(for: .microseconds(max(0, wake - MonotoneClock.now()))) } catch { break }
            if !hasMeasured, MonotoneClock.now() >= measured {
                hasMeasured = true
                record.begin(await status(), try await figures(), try await ownSeconds(), MonotoneClock.now())
            }
            let now = MonotoneClock.now()
            // A rest of a second would look like a drop in the plots.
            guard now >= second || now >= end && now - before > 300_000 else { continue }
            progress(
                try await sample(at: Double(now - measured) / 1e6, length: Double(now - before) / 1e6))
            before = now
        }
        _ = try await ask(.stop)
        if !hasMeasured {
            record.begin(await status(), try await figures(), try await ownSeconds(), MonotoneClock.now())
        }
        record.end(await status(), try await figures(), try await ownSeconds(), MonotoneClock.now())
    }

    /// Lets `run` return within a second, before the plan is done; from any task.
    package func cutShort() {
        isOver.store(true, ordering: .relaxed)
    }

    // MARK: The end

    /// Stops sending, waits until the cluster has come to rest, compares everything, and closes all sockets.
    package func finish(note: @Sendable (String) -> Void = { _ in }) async throws -> Report {
        do {
            let report = try await compare(note)
            try await dissolve()
            return report
        } catch {
            try? await dissolve()
            throw error
        }
    }

    /// Closes everything without a verdict.
    package func abandon() async {
        _ = try? await ask(.end)
        try? await dissolve()
    }

    private func dissolve() async throws {
        _ = try await ask(.dissolve)
        try await group.shutdownGracefully()
    }

    private func compare(_ note: @Sendable (String) -> Void) async throws -> Report {
        note("waiting for the cluster to come to rest")
        _ = try await ask(.hurry)
        try await comeToRest()
        note("reading the histories of \(world.threadIDs.count) threads")
        var least = [Int64](repeating: 0, count: world.threadIDs.count)
        for case .heads(let heads) in try await ask(.heads) {
            for (thread, seq) in heads.enumerated() { least[thread] = max(least[thread], seq) }
        }
        let histories = try await rest.histories(world, least: least, patience: .seconds(plan.settle))
        // What the store had and a socket had not yet: it has had the time of the reading, and as much again.
        try await catchUp(histories)
        note("comparing unread counts")
        let unread = try await unreadCounts()
        var checkers: [Checker] = []
        for case .checkers(let part) in try await ask(.end) { checkers += part }
        let verdict = Judge.verdict(world, checkers: checkers, histories: histories, unread: unread)
        return Report(
            plan: plan, urls: settings.urls, run: world.run, ended: WallClock.system.milliseconds,
            seats: world.seatCount, figures: try await figures(),
            record: record.taken(), verdict: verdict)
    }

    /// Waits until nothing is under way any more and nothing comes, for at most the plan's time.
    private func comeToRest() async throws {
        let limit = ContinuousClock.now + .seconds(plan.settle)
        var (before, quiet) = (-1, 0)
        while ContinuousClock.now < limit {
            let busy = try await count(.busy)
            let figures = try await figures()
            let moved = figures.delivered + figures.replayed + figures.fetched
            quiet = busy == 0 && moved == before ? quiet + 1 : 0
            if quiet >= 3 { return }
            before = moved
            try await Task.sleep(for: .milliseconds(150))
        }
    }

    private func catchUp(_ histories: [ThreadHistory]) async throws {
        let ends = histories.map { $0.events.last?.seq ?? 0 }
        let limit = ContinuousClock.now + .seconds(min(3, plan.settle))
        while ContinuousClock.now < limit {
            if try await count(.lagging(behind: ends)) == 0 { return }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private func unreadCounts() async throws -> [UnreadCount] {
        var random = SeededRandom(seed: plan.seed)
        let bots = Array((0..<plan.bots).shuffled(using: &random).prefix(plan.unreadSample))
        var moves: [UInt64: ReadMoves] = [:]
        for case .moves(let part) in try await ask(.moves) {
            for move in part { moves[UInt64(move.bot) << 32 | UInt64(move.thread)] = move }
        }
        return try await rest.unreadCounts(world, of: bots).map { count in
            var count = count
            if let move = moves[UInt64(count.bot) << 32 | UInt64(count.thread)] {
                count.moves = move.seqs
                count.mayBeUnmoved = !move.isCertain
            }
            return count
        }
    }
}
