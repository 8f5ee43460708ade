#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A source of the current time, as a value that tests control.
package struct WallClock: Sendable {
    private let read: @Sendable () -> Int64

    /// - Parameter milliseconds: Returns the current Unix time in milliseconds.
    package init(milliseconds: @escaping @Sendable () -> Int64) {
        read = milliseconds
    }

    /// Unix time in milliseconds.
    package var milliseconds: Int64 { read() }

    /// Unix time in whole seconds.
    package var seconds: Int64 { read() / 1000 }

    /// The system clock.
    package static let system = WallClock {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }

    /// The Unix time of the system clock in microseconds, for trace stamps.
    package static let systemMicroseconds: @Sendable () -> Int64 = {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
    }
}

/// The machine's monotonic clock. It does not jump when the machine's time is set.
package enum Uptime {
    private static let start = ContinuousClock.now

    /// Returns the milliseconds since the first call in this process.
    package static let milliseconds: @Sendable () -> Int64 = { Int64((ContinuousClock.now - start) / .milliseconds(1)) }
}
