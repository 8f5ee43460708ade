/// How a process ended.
package enum ProcessEnd: Hashable, Sendable {
    /// It returned this code.
    case exited(Int32)
    /// This signal killed it.
    case killed(Int32)

    /// - Parameter status: What `waitpid` reported.
    init(waitStatus status: Int32) {
        let signal = status & 0x7F
        self = signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal)
    }
}
