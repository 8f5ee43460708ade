import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The priority of the process for the scheduler.
enum ProcessPriority {
    /// Sets the nice value of the process; threads that exist already and those begun later have it too.
    ///
    /// On Linux a nice value belongs to a thread (setpriority(2), "C library/kernel differences"), and a new thread has
    /// that of the one that creates it; libdispatch sets that of its overcommit threads itself.
    /// - Parameter nice: 0 to 19. 0 changes nothing: the process keeps what it was started with.
    static func set(nice: Int) {
        guard nice > 0 else { return }
        #if os(Linux)
            for thread in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? [] {
                if let id = id_t(thread) { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id, CInt(nice)) }
            }
        #else
            setpriority(PRIO_PROCESS, 0, CInt(nice))
        #endif
    }
}
