/// The pending effects of a screen, up to a limit.
package struct EffectQueue: Sendable {
    package let effects: AsyncStream<ScreenEffect>
    private let continuation: AsyncStream<ScreenEffect>.Continuation

    /// - Parameter limit: The maximum number of effects. The default is more than a user can type while a client writes
    ///   a line to its database.
    package init(limit: Int = 10_000) {
        (effects, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(limit))
    }

    /// Adds an effect.
    /// - Returns: A notice for the user if the queue is full.
    package func add(_ effect: ScreenEffect) -> ScreenEvent? {
        guard case .dropped = continuation.yield(effect) else { return nil }
        return .notice("Too much is waiting: what was entered last was not done.")
    }
}
