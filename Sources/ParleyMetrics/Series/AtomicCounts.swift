import Synchronization

/// A fixed number of counters that many threads raise at the same time.
///
/// Sendable though the compiler cannot see it: the pointer never changes, what it points at is atomic and is
/// freed when nobody has a reference any more.
final class AtomicCounts: @unchecked Sendable {
    private let counters: UnsafeMutableBufferPointer<Atomic<UInt64>>

    init(count: Int) {
        counters = .allocate(capacity: count)
        for index in 0..<count { counters.initializeElement(at: index, to: Atomic(0)) }
    }

    deinit {
        counters.deinitialize()
        counters.deallocate()
    }

    /// - Parameter index: below the number of counters; another one ends the program.
    func increment(_ index: Int) {
        counters[index].wrappingAdd(1, ordering: .relaxed)
    }

    subscript(index: Int) -> UInt64 {
        counters[index].load(ordering: .relaxed)
    }
}
