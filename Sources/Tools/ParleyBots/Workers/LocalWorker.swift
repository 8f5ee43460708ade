import NIOCore
import NIOPosix
import ParleySockets

/// Bots of this process, in groups; each group is bound to an event loop of the worker's own threads.
final class LocalWorker: LoadWorker {
    private let group: MultiThreadedEventLoopGroup
    private let botGroups: [NIOLoopBound<BotGroup>]
    private let loops: [any EventLoop]

    private init(_ group: MultiThreadedEventLoopGroup, _ botGroups: [NIOLoopBound<BotGroup>], _ loops: [any EventLoop])
    {
        self.group = group
        self.botGroups = botGroups
        self.loops = loops
    }

    /// - Throws: `PlanError` if the process may not open enough sockets, or if a URL is invalid.
    static func make(_ task: WorkerTask, population: Population) async throws -> LocalWorker {
        if let violation = OpenFiles.violation(for: (task.plan.bots + task.count - 1) / task.count) { throw violation }
        let endpoints = try task.urls.map { try Endpoint($0) }
        let access = try TargetAccess(
            endpoints: endpoints, apiKey: task.apiKey, population: population, sessions: task.sessions,
            isLenient: task.isLenient)
        let plan = task.plan
        let group = MultiThreadedEventLoopGroup(numberOfThreads: plan.loops)
        do {
            var botGroups: [NIOLoopBound<BotGroup>] = []
            let loops = Array(group.makeIterator())
            for (index, loop) in loops.enumerated() {
                let (number, count) = (task.number * plan.loops + index, task.count * plan.loops)
                let botGroup = try await loop.submit {
                    NIOLoopBound(
                        BotGroup(population, plan: plan, access: access, number: number, of: count, loop: loop),
                        eventLoop: loop)
                }.get()
                botGroups.append(botGroup)
            }
            return LocalWorker(group, botGroups, loops)
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    /// Runs a closure for each group, on its event loop.
    private func onEach<Value: Sendable>(_ body: @escaping @Sendable (BotGroup) -> Value) async throws -> [Value] {
        var values: [Value] = []
        for (botGroup, loop) in zip(botGroups, loops) {
            values.append(try await loop.submit { body(botGroup.value) }.get())
        }
        return values
    }

    func carryOut(_ order: WorkerCommand) async throws -> WorkerReport {
        switch order {
        case .connect: _ = try await onEach { $0.connectAll() }
        case .begin(let start, let measured, let end):
            _ = try await onEach { $0.begin(start: start, measured: measured, end: end) }
        case .stop: _ = try await onEach { $0.scheduler?.stop() }
        case .readAtFullSpeed: _ = try await onEach { $0.readAtFullSpeed() }
        case .tearDown:
            _ = try await onEach { $0.tearDown() }
            try await group.shutdownGracefully()
        case .live, .busy, .lagging: return .count(try await count(order))
        case .sample:
            var whole = Sample()
            for part in try await onEach({ $0.takeSample() }) { whole.add(part) }
            return .sample(whole)
        case .figures:
            var whole = Figures()
            for part in try await onEach({ $0.figures }) { whole.add(part) }
            return .figures(whole)
        case .heads:
            let parts = try await onEach { $0.checker.heads }
            return .heads((parts.first ?? []).indices.map { thread in parts.map { $0[thread] }.max() ?? 0 })
        case .moves: return .moves(try await onEach { $0.moves }.flatMap { $0 })
        case .processTime: return .seconds(ProcessTime.seconds())
        case .end:
            return .checkers(
                try await onEach { botGroup in
                    botGroup.end()
                    return botGroup.checker
                })
        }
        return .done
    }

    private func count(_ order: WorkerCommand) async throws -> Int {
        let counts =
            switch order {
            case .live: try await onEach { $0.live }
            case .lagging(let seqs): try await onEach { $0.checker.lagging(behind: seqs) }
            default: try await onEach { $0.busy }
            }
        return counts.reduce(0, +)
    }
}
