import NIOCore
import NIOPosix
import ParleyModel

/// Bots of this process, in crews; each crew is bound to an event loop of the squad's own threads.
final class LocalSquad: Squad {
    private let group: MultiThreadedEventLoopGroup
    private let crews: [NIOLoopBound<Crew>]
    private let loops: [any EventLoop]

    private init(_ group: MultiThreadedEventLoopGroup, _ crews: [NIOLoopBound<Crew>], _ loops: [any EventLoop]) {
        self.group = group
        self.crews = crews
        self.loops = loops
    }

    /// - Throws: `PlanFlaw` if the process may not open as many sockets, or a URL is none.
    static func make(_ task: SquadTask, world: World) async throws -> LocalSquad {
        if let flaw = OpenFiles.flaw(for: (task.plan.bots + task.count - 1) / task.count) { throw flaw }
        let doors = try task.urls.map { try Door($0) }
        let access = try Access(
            doors: doors, apiKey: task.apiKey, world: world, sessions: task.sessions, isLenient: task.isLenient)
        let plan = task.plan
        let group = MultiThreadedEventLoopGroup(numberOfThreads: plan.loops)
        do {
            var crews: [NIOLoopBound<Crew>] = []
            let loops = Array(group.makeIterator())
            for (index, loop) in loops.enumerated() {
                let (number, count) = (task.number * plan.loops + index, task.count * plan.loops)
                let crew = try await loop.submit {
                    NIOLoopBound(
                        Crew(world, plan: plan, access: access, number: number, of: count, loop: loop),
                        eventLoop: loop)
                }.get()
                crews.append(crew)
            }
            return LocalSquad(group, crews, loops)
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    /// Does something on each crew's loop.
    private func onEach<Value: Sendable>(_ body: @escaping @Sendable (Crew) -> Value) async throws -> [Value] {
        var values: [Value] = []
        for (crew, loop) in zip(crews, loops) { values.append(try await loop.submit { body(crew.value) }.get()) }
        return values
    }

    func carryOut(_ order: SquadOrder) async throws -> SquadReport {
        switch order {
        case .connect: _ = try await onEach { $0.connectAll() }
        case .begin(let start, let measured, let end):
            _ = try await onEach { $0.begin(start: start, measured: measured, end: end) }
        case .stop: _ = try await onEach { $0.generator?.stop() }
        case .hurry: _ = try await onEach { $0.hurry() }
        case .dissolve:
            _ = try await onEach { $0.dissolve() }
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
                try await onEach { crew in
                    crew.end()
                    return crew.checker
                })
        }
        return .done
    }

    private func count(_ order: SquadOrder) async throws -> Int {
        let counts =
            switch order {
            case .live: try await onEach { $0.live }
            case .lagging(let seqs): try await onEach { $0.checker.lagging(behind: seqs) }
            default: try await onEach { $0.busy }
            }
        return counts.reduce(0, +)
    }
}
