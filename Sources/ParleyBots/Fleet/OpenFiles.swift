#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How many files, so sockets, this process may have open.
enum OpenFiles {
    /// What is needed besides the bots' sockets. Without any to spare, libdispatch ends the process.
    private static let reserve = 200

    /// Raises the limit as far as the process may, and says what is wrong if that is too little.
    static func flaw(for sockets: Int) -> PlanFlaw? {
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return nil }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(resource, &limit)
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(sockets + reserve) else { return nil }
        return PlanFlaw(
            "\(sockets) bots need \(sockets + reserve) open files, and this process may have \(limit.rlim_cur); "
                + "raise the limit (ulimit -n), the server's too")
    }
}
