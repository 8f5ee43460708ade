/// Polls a condition until it is true, for what the code under test gives no sign of.
/// - Parameter longest: The longest pause between two polls; the first ones are shorter.
/// - Returns: Whether it became true within `limit`.
package func eventually(
    within limit: Duration = .patience, every longest: Duration = .milliseconds(20),
    isolation: isolated (any Actor)? = #isolation, _ isTrue: () async throws -> Bool
) async throws -> Bool {
    let deadline = ContinuousClock.now + limit
    var pause = min(.milliseconds(1), longest)
    while true {
        if try await isTrue() { return true }
        guard ContinuousClock.now < deadline else { return false }
        try await Task.sleep(for: pause)
        pause = min(pause * 2, longest)
    }
}
