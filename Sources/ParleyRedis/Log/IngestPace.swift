/// The polling interval of an empty stream, as a value without a clock.
///
/// While messages arrive, the pause is the maximum delay before an event is stored. After a second without any, the
/// pauses are four times as long: an idle cluster should cost next to nothing, and a delay of some 30 ms on the first
/// message is acceptable.
package struct IngestPace: Hashable, Sendable {
    /// The number of fruitless polls after which a stream counts as idle. After every such number the readers look for
    /// themselves, since the stream may have begun anew.
    package static let timeout = 100

    private let milliseconds: Int64
    private var fruitless = 0

    /// - Parameter milliseconds: the pause while messages arrive.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The pause before the next poll, in milliseconds.
    package var pause: Int64 { fruitless < Self.timeout ? milliseconds : 4 * milliseconds }

    /// Counts a poll.
    /// - Returns: whether the readers must look for themselves instead.
    package mutating func ask() -> Bool {
        fruitless += 1
        return fruitless.isMultiple(of: Self.timeout)
    }

    /// An entry was found: the stream is active again.
    package mutating func found() {
        fruitless = 0
    }
}
