#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The limit on this process's open files, and thereby on its sockets.
package enum OpenFiles {
    /// Raises the limit within what is permitted: the soft limit up to the hard one, and the hard one too if `wanted`
    /// is higher and the process has the right (on Linux CAP_SYS_RESOURCE, and at most `fs.nr_open`).
    /// - Returns: the resulting limit; `nil` if unknown.
    package static func raise(to wanted: Int) -> Int? {
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return nil }
        limit.rlim_cur = max(limit.rlim_cur, limit.rlim_max)
        _ = setrlimit(resource, &limit)
        if rlim_t(clamping: wanted) > limit.rlim_max {
            var more = rlimit(rlim_cur: rlim_t(clamping: wanted), rlim_max: rlim_t(clamping: wanted))
            _ = setrlimit(resource, &more)
        }
        guard getrlimit(resource, &limit) == 0 else { return nil }
        return Int(clamping: limit.rlim_cur)
    }
}
