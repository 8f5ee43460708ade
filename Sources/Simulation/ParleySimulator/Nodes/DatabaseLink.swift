import ParleyModel
import ParleyStoreModel

/// A node's connections to the simulated database: how long calls take, and whether they reach it.
///
/// Confined to the simulator's only thread.
final class DatabaseLink: DatabaseHook, @unchecked Sendable {
    // `@unchecked Sendable`: the simulator has one thread.
    private let scheduler: Scheduler
    private let state: DatabaseState
    private let process: SimulatedProcess

    /// The time that a node waits for a database that does not answer, in nanoseconds.
    private static let replyLimit: Int64 = 10_000_000_000

    init(_ process: SimulatedProcess, _ state: DatabaseState, on scheduler: Scheduler) {
        self.process = process
        self.state = state
        self.scheduler = scheduler
    }

    func before(_ call: DatabaseCall) async throws(StoreError) -> DatabaseCall.Course {
        await wait(state.generator.within(state.delay))
        if !state.isAvailable { throw .unavailable("connection refused") }
        if state.silent.contains(process.name) { try await hang() }
        if call.isWrite, state.draw(state.rollsBackOnceIn) {
            return .rollBack(.unavailable("connection lost before the commit"))
        }
        return .run
    }

    func after(_ call: DatabaseCall) async throws(StoreError) {
        if call.isWrite, state.draw(state.losesAnswerOnceIn) {
            await wait(state.generator.within(state.delay))
            throw .unavailable("connection lost after the commit")
        }
        if state.silent.contains(process.name) { try await hang() }
        await wait(state.generator.within(state.delay))
        if !state.isAvailable { throw .unavailable("connection lost") }
    }

    private func hang() async throws(StoreError) {
        await wait(Self.replyLimit)
        throw .unavailable("no answer")
    }

    private func wait(_ nanoseconds: Int64) async {
        await withCheckedContinuation { continuation in
            scheduler.call(as: process, after: nanoseconds) { continuation.resume() }
        }
    }
}

/// The faults of the simulated database.
final class DatabaseState {
    var generator: SeededGenerator
    var isAvailable = true
    /// Nodes that the database does not answer.
    var silent: Set<String> = []
    /// The delay of each half of a call, in nanoseconds.
    var delay: ClosedRange<Int64> = DatabaseState.usualDelay
    /// One write in so many is committed without an answer, or not committed; 0 for none.
    var losesAnswerOnceIn = 0
    var rollsBackOnceIn = 0

    static let usualDelay: ClosedRange<Int64> = 50_000...600_000

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed, purpose: 4)
    }

    func draw(_ times: Int) -> Bool { times > 0 && generator.once(in: times) }
}
