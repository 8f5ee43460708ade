import NIOCore

/// The clock of all latencies: monotonic, and the same for all threads and processes of a machine.
package enum MonotonicClock {
    /// Microseconds since an arbitrary instant.
    package static func now() -> Int64 {
        Int64(NIODeadline.now().uptimeNanoseconds / 1000)
    }
}
