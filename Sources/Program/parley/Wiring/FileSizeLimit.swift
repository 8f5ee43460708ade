#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The limit of a process on the size of its files (`ulimit -f`).
enum FileSizeLimit {
    /// Makes a file that reaches the limit an error of the write, which is then treated like a full disk. By default the
    /// signal for it ends the process.
    static func failWrites() {
        signal(SIGXFSZ, SIG_IGN)
    }
}
