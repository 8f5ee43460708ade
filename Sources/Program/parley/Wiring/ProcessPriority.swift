import CPriority
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The priority of the process for the scheduler.
enum ProcessPriority {
    /// Raises the nice value of the process to at least `nice`; threads that exist already and those begun later have it
    /// too.
    ///
    /// On Linux a nice value belongs to a thread (setpriority(2), "C library/kernel differences"), and a new thread has
    /// its creator's. But each worker thread of libdispatch then gives itself the nice value of its queue, which a
    /// process of root may do: hence the lowest value of `CPriority`. Does nothing elsewhere.
    /// - Parameter nice: 0 to 19.
    static func raise(nice: Int) {
        #if os(Linux)
            // Set before the walk below: a thread that begins during the walk is either bound by it or on the next
            // list.
            parley_set_lowest_nice(CInt(nice))
            var done: Set<String> = []
            // Until no thread is new: one that was not reached yet may have created another.
            while true {
                let threads = Set((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? [])
                guard !threads.isSubset(of: done) else { return }
                for thread in threads.subtracting(done) {
                    guard let id = id_t(thread) else { continue }
                    let kind = numericCast(PRIO_PROCESS.rawValue) as Kind
                    if getpriority(kind, id) < CInt(nice) { setpriority(kind, id, CInt(nice)) }
                }
                done.formUnion(threads)
            }
        #endif
    }

    #if canImport(Glibc)
        private typealias Kind = __priority_which_t
    #else
        private typealias Kind = CInt
    #endif
}
