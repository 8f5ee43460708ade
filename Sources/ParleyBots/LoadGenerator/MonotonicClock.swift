import NIOCore

/// The clock of all latencies: the same for all threads and processes of a machine, and never set back.
package enum MonotonicClock {
    /// Microseconds since some instant.
    package static func now() -> Int64 {
        Int64(NIODeadline.now().uptimeNanoseconds / 1000)
    }
}
