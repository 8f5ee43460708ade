import Synchronization

/// A fixed number of atomic counters.
///
/// `@unchecked Sendable` is safe: the pointer never changes, its target is atomic, and it is freed only when no
/// reference is left.
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

    /// - Parameter index: below the number of counters; traps otherwise.
    func increment(_ index: Int) {
        counters[index].wrappingAdd(1, ordering: .relaxed)
    }

    subscript(index: Int) -> UInt64 {
        counters[index].load(ordering: .relaxed)
    }
}

extension Atomic where Value == UInt64 {
    /// Adds to the `Double` whose bit pattern is stored.
    func addDouble(_ amount: Double) {
        var current = load(ordering: .relaxed)
        while true {
            let next = (Double(bitPattern: current) + amount).bitPattern
            let (exchanged, original) = weakCompareExchange(expected: current, desired: next, ordering: .relaxed)
            if exchanged { return }
            current = original
        }
    }
}
