import ParleyBots
import ParleyTestSupport

/// A running load, for tests that disturb the cluster: waits for what the bots have seen instead of for time to pass.
struct Flow: Sendable {
    private static let limit: Duration = .seconds(30)

    private let generator: LoadGenerator

    init(_ generator: LoadGenerator) {
        self.generator = generator
    }

    /// Waits until so many sends more are acknowledged.
    func acked(_ more: Int, within limit: Duration = limit) async throws {
        let before = try await generator.figures().acked
        try await reach("\(more) acks more", limit) { try await generator.figures().acked >= before + more }
    }

    /// Waits until so many sends are acknowledged in all.
    func acked(inAll count: Int, within limit: Duration = limit) async throws {
        try await reach("\(count) acks", limit) { try await generator.figures().acked >= count }
    }

    /// Waits until so many sends more are stored.
    func stored(_ more: Int, within limit: Duration = limit) async throws {
        let before = try await generator.figures().stored
        try await reach("\(more) stored acks more", limit) { try await generator.figures().stored >= before + more }
    }

    /// Waits until all bots are connected and up to date.
    func isWhole() async throws {
        try await reach("all bots live", Self.limit) { try await generator.liveCount() == generator.plan.bots }
    }

    /// Waits until bots have lost their sockets.
    func lost(_ count: Int) async throws {
        try await reach("\(count) sockets lost", Self.limit) { try await generator.figures().losses >= count }
    }

    private func reach(_ what: String, _ limit: Duration, _ isTrue: () async throws -> Bool) async throws {
        guard try await eventually(within: limit, isTrue) else { throw TimedOut(what, after: limit) }
    }
}
