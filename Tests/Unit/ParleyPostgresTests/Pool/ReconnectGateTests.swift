import ParleyPostgres
import ParleyTestSupport
import Testing

@Suite("The reconnect gate")
struct ReconnectGateTests {
    private let start = ContinuousClock.now
    private let reason = PostgresError(state: "08006", message: "refused")

    @Test("pauses grow up to the cap")
    func growth() {
        var longest: [Duration] = Array(repeating: .zero, count: 12)
        for seed in 0..<200 {
            var random = SeededGenerator(UInt64(seed))
            var gate = ReconnectGate(base: .milliseconds(50), cap: .seconds(2))
            for failure in longest.indices {
                gate.failed(reason, at: start, using: &random)
                let ceiling = min(.seconds(2), .milliseconds(50) * (1 << failure))
                #expect(gate.rejection(at: start + ceiling) == nil, "seed \(seed), failure \(failure)")
                let pause = (0..<40).map { ceiling * $0 / 40 }.last { gate.rejection(at: start + $0) != nil }
                longest[failure] = max(longest[failure], pause ?? .zero)
            }
        }
        for (failure, pause) in longest.enumerated() {
            #expect(pause > min(.seconds(2), .milliseconds(50) * (1 << failure)) * 9 / 10, "failure \(failure)")
        }
    }

    @Test("a pause reports the last reason; a success resets it")
    func success() {
        var random = SeededGenerator(7)
        var gate = ReconnectGate(base: .milliseconds(50), cap: .seconds(2))
        #expect(gate.rejection(at: start) == nil)
        for _ in 0..<100 { gate.failed(reason, at: start, using: &random) }
        let last = PostgresError(state: "08006", message: "no route")
        gate.failed(last, at: start, using: &random)
        #expect(gate.rejection(at: start) == last)
        gate.succeeded()
        #expect(gate.rejection(at: start) == nil)
        gate.failed(reason, at: start, using: &random)
        #expect(gate.rejection(at: start + .milliseconds(50)) == nil)
    }
}
