import ParleyREST
import ParleyTestSupport
import Synchronization
import Testing

@Suite("Readiness probe", .timeLimit(.minutes(5)))
struct ReadinessProbeTests {
    /// A backend that answers on demand, and counts checks.
    private final class Backend: Sendable {
        private let state = Mutex((requests: 0, isStuck: true, waiting: [CheckedContinuation<Void, Never>]()))

        var requests: Int { state.withLock { $0.requests } }
        var isStuck: Bool { state.withLock { $0.isStuck } }

        func response() {
            let waiting = state.withLock { state in
                state.isStuck = false
                defer { state.waiting = [] }
                return state.waiting
            }
            for waiter in waiting { waiter.resume() }
        }

        func reasons() async -> [String] {
            await withCheckedContinuation { continuation in
                let isStuck = state.withLock { state in
                    state.requests += 1
                    if state.isStuck { state.waiting.append(continuation) }
                    return state.isStuck
                }
                if !isStuck { continuation.resume() }
            }
            return ["draining"]
        }
    }

    @Test("a backend that answers in time gives its result")
    func responses() async {
        let probe = ReadinessProbe(readiness: { ["starting"] })
        #expect(await probe.reasons() == ["starting"])
        #expect(await ReadinessProbe(readiness: { [] }).reasons().isEmpty)
    }

    @Test("a slow backend is reported after the limit, and costs one check however often it is called")
    func slow() async {
        let backend = Backend()
        let probe = ReadinessProbe(
            limit: .seconds(2), readiness: { await backend.reasons() },
            // The limit expires as soon as the backend is called, and never again once it answers.
            pause: { _ in
                while backend.requests == 0 || !backend.isStuck, !Task.isCancelled { await Task.yield() }
            })
        for _ in 0..<20 {
            let reasons = await probe.reasons()
            #expect(reasons.count == 1 && reasons[0].hasPrefix("slow"), "\(reasons)")
        }
        #expect(backend.requests == 1)
        backend.response()
        // The check that was stuck may be the one answered first.
        for _ in 0..<2 { #expect(await probe.reasons() == ["draining"]) }
        #expect(backend.requests > 1)
    }

    @Test("concurrent callers share one check")
    func shared() async throws {
        let backend = Backend()
        let probe = ReadinessProbe(readiness: { await backend.reasons() })
        try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<50 { group.addTask { await probe.reasons() } }
            #expect(try await eventually { backend.requests > 0 })
            backend.response()
            for try await reasons in group { #expect(reasons == ["draining"]) }
        }
    }
}
