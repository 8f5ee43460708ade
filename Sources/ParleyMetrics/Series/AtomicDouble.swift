import Synchronization

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
