import NIOCore
import NIOPosix
import NIOSSL
import ParleyModel
import ParleySockets

/// Runs virtual users against a cluster: they connect, send by plan, settle, and the result is checked.
///
/// ```swift
/// let generator = try await LoadGenerator.start(plan, settings)
/// try await generator.run()
/// let report = try await generator.finish()
/// ```
///
/// All state is in the workers, in this process or in others; `finish()` or `abandon()` must be called, which end their
/// threads. The calls belong to one task at a time, except `figures` and `liveCount`, which may be called while `run`
/// is in progress.
package final class LoadGenerator: Sendable {
    package let plan: LoadPlan
    package let population: Population
    private let settings: LoadGeneratorSettings
    private let metricsEndpoints: [Endpoint]
    private let rest: RESTService
    private let group: MultiThreadedEventLoopGroup
    private let workers: [any LoadWorker]
    private let record: Recording

    private init(
        plan: LoadPlan, settings: LoadGeneratorSettings, population: Population, metricsEndpoints: [Endpoint],
        rest: RESTService,
        group: MultiThreadedEventLoopGroup, workers: [any LoadWorker]
    ) {
        self.plan = plan
        self.settings = settings
        self.population = population
        self.metricsEndpoints = metricsEndpoints
        self.rest = rest
        self.group = group
        self.workers = workers
        record = Recording()
    }

    /// Creates users and threads, and opens all sockets.
    /// - Parameters:
    ///   - run: a prefix of all ids of this run: short, of letters and digits, never used before.
    ///   - note: called with short descriptions of the progress.
    /// - Throws: `PlanError`, `RESTFailure`, `LoadGeneratorError`.
    package static func start(
        _ plan: LoadPlan, _ settings: LoadGeneratorSettings, run: String? = nil,
        note: @Sendable (String) -> Void = { _ in }
    ) async throws -> LoadGenerator {
        if let violation = plan.violation { throw violation }
        let workerCount = try workerCount(plan, settings)
        guard let first = settings.urls.first else { throw PlanError("no server URL is given") }
        let endpoints = try settings.urls.map { try Endpoint($0) }
        let restEndpoint = try Endpoint(settings.rest ?? first)
        var names: Set<String> = []
        let others =
            settings.metrics.isEmpty
            ? (endpoints + [restEndpoint]).filter { names.insert($0.authority).inserted }
            : try settings.metrics.map { try Endpoint($0) }
        let run = run ?? newRun()
        let population = Population(plan, run: run)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let client = RESTClient(isLenient: settings.isLenient, on: group)
        do {
            let rest = RESTService(endpoint: restEndpoint, apiKey: settings.apiKey, client: client)
            note("creating \(population.botCount) users and \(population.threadIDs.count) threads (run \(run))")
            let password = plan.logsIn ? "\(run) is no secret" : nil
            try await rest.make(population, password: password)
            var logins: [(session: String, time: Int64)] = []
            if let password {
                note("logging \(population.botCount) users in")
                logins = try await rest.logIn(population, password: password)
            }
            let task = WorkerTask(
                plan: plan, urls: settings.urls, apiKey: settings.apiKey, isLenient: settings.isLenient, run: run,
                sessions: logins.map(\.session), number: 0, count: workerCount)
            let workers: [any LoadWorker]
            if workerCount == 1 {
                workers = [try await LocalWorker.make(task, population: population)]
            } else {
                note("starting \(workerCount) workers")
                workers = try await WorkerProcess.start(task, program: settings.program ?? "", on: group.next())
            }
            let generator = LoadGenerator(
                plan: plan, settings: settings, population: population, metricsEndpoints: others, rest: rest,
                group: group,
                workers: workers)
            generator.record.logins(logins.map(\.time))
            note("connecting \(population.botCount) bots")
            do { try await generator.connect() } catch {
                _ = try? await generator.send(.tearDown)
                throw error
            }
            return generator
        } catch {
            await client.shutDown()
            try? await group.shutdownGracefully()
            throw error
        }
    }

    /// The number of processes: that of the plan, or as many as the bots' open files need.
    private static func workerCount(_ plan: LoadPlan, _ settings: LoadGeneratorSettings) throws -> Int {
        guard settings.program != nil else {
            guard plan.workers == 1 else { throw PlanError("workers require the path of the program to run") }
            return 1
        }
        guard plan.workers == 1, let violation = OpenFiles.violation(for: plan.bots) else { return plan.workers }
        // Half of the files each, so that no process is at its limit.
        guard let count = (2...8).first(where: { OpenFiles.violation(for: plan.bots / $0) == nil }) else {
            throw violation
        }
        return count
    }

    /// Letters and digits that no earlier run has used, made from the current time.
    private static func newRun() -> String {
        "b" + String(UInt64.random(in: 0..<(1 << 40)), radix: 36)
    }

    // MARK: Workers

    /// Sends a command to all workers concurrently.
    private func send(_ command: WorkerCommand) async throws -> [WorkerReport] {
        if workers.count == 1 { return [try await workers[0].carryOut(command)] }
        return try await withThrowingTaskGroup(of: WorkerReport.self) { group in
            for worker in workers { group.addTask { try await worker.carryOut(command) } }
            var reports: [WorkerReport] = []
            for try await report in group {
                if case .failed(let reason) = report { throw LoadGeneratorError(description: reason) }
                reports.append(report)
            }
            return reports
        }
    }

    /// The sum of the counts of all workers.
    private func count(_ command: WorkerCommand) async throws -> Int {
        try await send(command).reduce(0) { if case .count(let count) = $1 { $0 + count } else { $0 } }
    }

    private func status() async -> ServerStatus {
        await ServerStatus.read(metricsEndpoints, with: rest.client)
    }

    /// CPU seconds of this tool, workers included.
    private func ownSeconds() async throws -> Double {
        guard workers.first is WorkerProcess else { return ProcessTime.seconds() }
        return try await send(.processTime).reduce(ProcessTime.seconds()) {
            if case .seconds(let seconds) = $1 { $0 + seconds } else { $0 }
        }
    }

    /// The sample of the last second, for progress.
    package func sample(at time: Double, length: Double) async throws -> Sample {
        var whole = Sample()
        for case .sample(let part) in try await send(.sample) { whole.add(part) }
        (whole.time, whole.length) = (time, length)
        record.add(whole)
        return whole
    }

    /// All figures so far.
    package func figures() async throws -> Figures {
        var whole = Figures()
        for case .figures(let part) in try await send(.figures) { whole.add(part) }
        return whole
    }

    /// The number of bots that are connected and up to date.
    package func liveCount() async throws -> Int {
        try await count(.live)
    }

    private func connect() async throws {
        record.status(.beforeConnect, await status())
        _ = try await send(.connect)
        let limit = ContinuousClock.now + .seconds(60 + Double(plan.bots) / plan.connectRate)
        while true {
            let live = try await liveCount()
            if live == plan.bots { break }
            guard ContinuousClock.now < limit else {
                let errors = try await figures().errors.sorted { $0.value > $1.value }.prefix(5)
                let what = errors.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
                throw LoadGeneratorError(
                    description: "only \(live) of \(plan.bots) bots are connected; errors: \(what)")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        _ = try await send(.sample)
        // The first burst of work is over; resident memory now is due to the sockets.
        try await Task.sleep(for: .milliseconds(500))
        record.status(.connected, await status())
    }

    // MARK: Load

    /// Sends by plan: warm-up, then the measured time. The caller may disturb the cluster during it. Cancelling the
    /// task ends the load early; what happened so far can still be checked.
    /// - Parameter progress: called once a second.
    package func run(progress: @Sendable (Sample) -> Void = { _ in }) async throws {
        let start = MonotonicClock.now() + 50_000
        let measured = start + Int64(plan.warmUp * 1e6)
        let end = measured + Int64(plan.duration * 1e6)
        if plan.totalRate > 0, SendScheduler.total(population) <= 0 {
            throw PlanError("no bot sends: there are no threads, or all bots are readers")
        }
        _ = try await send(.begin(start: start, measured: measured, end: end))
        var before = MonotonicClock.now()
        var hasMeasured = false
        while MonotonicClock.now() < end {
            let second = before + 1_000_000
            let wake = min(second, end, hasMeasured ? end : measured)
            do { try await Task.sleep(for: .microseconds(max(0, wake - MonotonicClock.now()))) } catch { break }
            if !hasMeasured, MonotonicClock.now() >= measured {
                hasMeasured = true
                record.begin(await status(), try await figures(), try await ownSeconds(), MonotonicClock.now())
            }
            let now = MonotonicClock.now()
            // A partial second would look like a drop in the plots.
            guard now >= second || now >= end && now - before > 300_000 else { continue }
            progress(
                try await sample(at: Double(now - measured) / 1e6, length: Double(now - before) / 1e6))
            before = now
        }
        _ = try await send(.stop)
        if !hasMeasured {
            record.begin(await status(), try await figures(), try await ownSeconds(), MonotonicClock.now())
        }
        record.end(await status(), try await figures(), try await ownSeconds(), MonotonicClock.now())
    }

    // MARK: Stopping

    /// Stops sending, waits for the cluster to settle, checks everything, and closes all sockets.
    package func finish(note: @Sendable (String) -> Void = { _ in }) async throws -> Report {
        do {
            let report = try await compare(note)
            try await tearDown()
            return report
        } catch {
            try? await tearDown()
            throw error
        }
    }

    /// Closes everything without a verdict.
    package func abandon() async {
        _ = try? await send(.end)
        try? await tearDown()
    }

    private func tearDown() async throws {
        await rest.client.shutDown()
        _ = try await send(.tearDown)
        try await group.shutdownGracefully()
    }

    private func compare(_ note: @Sendable (String) -> Void) async throws -> Report {
        note("waiting for the cluster to become idle")
        _ = try await send(.readAtFullSpeed)
        try await waitUntilIdle()
        note("reading the histories of \(population.threadIDs.count) threads")
        var least = [Int64](repeating: 0, count: population.threadIDs.count)
        for case .heads(let heads) in try await send(.heads) {
            for (thread, seq) in heads.enumerated() { least[thread] = max(least[thread], seq) }
        }
        let histories = try await rest.histories(population, least: least, timeout: .seconds(plan.settle))
        // Events in the store that a socket lacks: it has had as long as reading them took, and gets as long again.
        try await catchUp(histories)
        note("comparing unread counts")
        let unread = try await unreadCounts()
        var checkers: [Checker] = []
        for case .checkers(let part) in try await send(.end) { checkers += part }
        let verdict = HistoryChecker.verdict(population, checkers: checkers, histories: histories, unread: unread)
        return Report(
            plan: plan, urls: settings.urls, run: population.run, ended: WallClock.system.milliseconds,
            memberships: population.membershipCount, figures: try await figures(),
            record: record.taken(), verdict: verdict)
    }

    /// Waits until nothing is pending and nothing arrives, for at most the plan's time.
    private func waitUntilIdle() async throws {
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
        for case .moves(let part) in try await send(.moves) {
            for move in part { moves[UInt64(move.bot) << 32 | UInt64(move.thread)] = move }
        }
        return try await rest.unreadCounts(population, of: bots).map { count in
            var count = count
            if let move = moves[UInt64(count.bot) << 32 | UInt64(count.thread)] {
                count.moves = move.seqs
                count.mayBeUnmoved = !move.isCertain
            }
            return count
        }
    }
}
