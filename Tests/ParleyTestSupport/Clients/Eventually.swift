/// Asks again and again whether something has become true, for what gives no sign of its own.
/// - Parameter pause: between two questions, for one that costs something.
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
