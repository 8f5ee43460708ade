#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What this process uses, cheaply enough to be asked every second; `ProcessMetrics` says more.
package struct ProcessUsage: Hashable, Sendable {
    /// User and system time since the start, in seconds.
    package let cpuSeconds: Double
    /// Resident memory, in bytes; 0 where there is no `/proc`.
    package let residentBytes: Int64

    /// The present values.
    package static func read() -> ProcessUsage {
        var usage = rusage()
        #if canImport(Glibc)
            let asked = getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
            let asked = getrusage(Int32(RUSAGE_SELF), &usage)
        #endif
        let cpu = asked == 0 ? seconds(usage.ru_utime) + seconds(usage.ru_stime) : 0
        return ProcessUsage(cpuSeconds: cpu, residentBytes: residentPages() * Int64(sysconf(Int32(_SC_PAGESIZE))))
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
    }

    /// The second number of `/proc/self/statm` (proc_pid_statm(5)).
    private static func residentPages() -> Int64 {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = bytes.withUnsafeMutableBytes { buffer in
            #if canImport(Glibc)
                Glibc.read(file, buffer.baseAddress, buffer.count)
            #elseif canImport(Musl)
                Musl.read(file, buffer.baseAddress, buffer.count)
            #else
                Darwin.read(file, buffer.baseAddress, buffer.count)
            #endif
        }
        guard count > 0 else { return 0 }
        let numbers = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ")
        return numbers.count > 1 ? Int64(numbers[1]) ?? 0 : 0
    }
}
