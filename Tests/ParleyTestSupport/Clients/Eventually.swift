/// Polls a condition until it is true.
/// - Parameter pause: The polling interval, for conditions that are expensive.
/// - Returns: Whether it became true within `limit`.
package func eventually(
    within limit: Duration = .seconds(30), every pause: Duration = .milliseconds(20), _ isTrue: () async throws -> Bool
) async throws -> Bool {
    let deadline = ContinuousClock.now + limit
    while true {
        if try await isTrue() { return true }
        guard ContinuousClock.now < deadline else { return false }
        try await Task.sleep(for: pause)
    }
}
