/// The effects of a screen that wait to be performed, up to a limit.
package struct EffectQueue: Sendable {
    package let effects: AsyncStream<ScreenEffect>
    private let continuation: AsyncStream<ScreenEffect>.Continuation

    /// - Parameter limit: By default more than a user can type while a client writes a line to its database.
    package init(limit: Int = 10_000) {
        (effects, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(limit))
    }

    /// Adds an effect.
    /// - Returns: What the user has to know if there was no room for it.
    package func add(_ effect: ScreenEffect) -> ScreenEvent? {
        guard case .dropped = continuation.yield(effect) else { return nil }
        return .notice("Too much is waiting: what was entered last was not done.")
    }
}
