import ParleyTestSupport

/// Returns when `condition` has come true. For what the code under test gives no sign of.
/// - Throws: `TimedOut`.
func eventually(
    _ what: String, within limit: Duration = .seconds(30), _ condition: @Sendable () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline else { throw TimedOut(what, after: limit) }
        try await Task.sleep(for: .milliseconds(2))
    }
}
