/// How often a stream is asked that had nothing: a value without a clock.
///
/// While messages come, a pause is what one waits for its row at most. After a second without any the pauses are four
/// times as long, since an idle cluster should cost next to nothing, and nobody notices 30 ms at the first message.
package struct IngestPace: Hashable, Sendable {
    /// So many fruitless questions are an idle stream; and every so many its readers look for themselves, since it may have
    /// begun anew.
    package static let timeout = 100

    private let milliseconds: Int64
    private var fruitless = 0

    /// - Parameter milliseconds: of a pause while messages come.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Before the next question, in milliseconds.
    package var pause: Int64 { fruitless < Self.timeout ? milliseconds : 4 * milliseconds }

    /// - Returns: whether the readers are to look for themselves instead.
    package mutating func ask() -> Bool {
        fruitless += 1
        return fruitless.isMultiple(of: Self.timeout)
    }

    package mutating func found() {
        fruitless = 0
    }
}
