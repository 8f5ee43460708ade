import Foundation

/// How many files and sockets this process may have open.
enum FileDescriptors {
    /// Raises the soft limit to the hard one, for tests with thousands of sockets.
    static func raiseLimit() {
        var limit = rlimit()
        #if os(Linux)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 65_536)
        setrlimit(resource, &limit)
    }
}
