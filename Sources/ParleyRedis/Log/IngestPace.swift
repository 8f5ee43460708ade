/// The pauses between the polls of empty streams, as a value without a clock.
///
/// The first pauses are those of an active stream. After a second without an entry they are four times as long: an idle
/// cluster should cost next to nothing, and a delay of some 30 ms on the first message is acceptable.
package struct IngestPace: Hashable, Sendable {
    /// The number of fruitless polls after which streams count as idle.
    package static let timeout = 100

    private let milliseconds: Int64
    private var fruitless = 0

    /// - Parameter milliseconds: the pause while messages arrive.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Counts a fruitless poll.
    /// - Returns: the pause before the next one, in milliseconds.
    package mutating func next() -> Int64 {
        fruitless += 1
        return fruitless <= Self.timeout ? milliseconds : 4 * milliseconds
    }
}
