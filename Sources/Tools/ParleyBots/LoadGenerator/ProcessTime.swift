#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// CPU time of this process.
enum ProcessTime {
    /// User and system seconds of all threads.
    ///
    /// By clock(3), whose unit is a microsecond in POSIX: without a struct of C, whose module the compiler names
    /// differently when it optimises the whole target beside another C library.
    static func seconds() -> Double { Double(clock()) / 1_000_000 }
}
