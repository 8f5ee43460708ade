/// How a process ended.
package enum ProcessEnd: Hashable, Sendable {
    /// It exited with this code.
    case exited(Int32)
    /// It was killed by this signal.
    case killed(Int32)

    /// - Parameter status: The status reported by `waitpid`.
    init(waitStatus status: Int32) {
        let signal = status & 0x7F
        self = signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal)
    }
}
