#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// CPU time and memory of this process, cheap enough to be read every second; see `ProcessMetrics` for more.
package struct ProcessUsage: Hashable, Sendable {
    /// User and system time since the start, in seconds.
    package let cpuSeconds: Double
    /// Resident memory, in bytes; 0 where there is no `/proc`.
    package let residentBytes: Int64

    /// The present values.
    package static func read() -> ProcessUsage {
        var usage = rusage()
        #if canImport(Glibc)
            let requested = getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
            let requested = getrusage(Int32(RUSAGE_SELF), &usage)
        #endif
        let cpu = requested == 0 ? seconds(usage.ru_utime) + seconds(usage.ru_stime) : 0
        let stat = ProcFile.text("/proc/self/stat").flatMap(ProcessStat.init(parsing:))
        let pages = stat?.residentPages ?? 0
        return ProcessUsage(cpuSeconds: cpu, residentBytes: pages * Int64(sysconf(Int32(_SC_PAGESIZE))))
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
    }
}
