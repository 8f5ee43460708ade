import Foundation
import ParleyTestSupport
import Testing

@Suite("PostgreSQL and its model give the same replies", .serialized)
struct ModelTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// How many sequences are run; `PARLEY_MODEL_SEQUENCES=100000` is the long form.
    private static let sequences = environment["PARLEY_MODEL_SEQUENCES"].flatMap { Int($0) } ?? 300
    /// The short form has one seed. From 5,000 and 678,379,573, one of PostgreSQL and the model stores a message of a direct
    /// thread that the other calls `repeated`. The cause is not confirmed yet.
    private static let seed = environment["PARLEY_MODEL_SEED"].flatMap { UInt64($0) } ?? 1_000
    /// How many sequences share a database.
    private static let group = 50

    @Test("random sequences of calls of every port get equal replies")
    func sequences() async throws {
        let groups = (Self.sequences + Self.group - 1) / Self.group
        var calls = 0
        for number in 0..<UInt64(groups) {
            let seed = Self.seed &+ number
            do {
                calls += try await StorePairRun.play(seed: seed, sequences: Self.group)
            } catch {
                Issue.record("PARLEY_MODEL_SEED=\(seed): \(error)")
                return
            }
            if (number + 1) % 100 == 0 { print("\((number + 1) * UInt64(Self.group)) sequences, \(calls) calls") }
        }
        print("\(groups * Self.group) sequences of \(calls) calls from seed \(Self.seed)")
    }
}
