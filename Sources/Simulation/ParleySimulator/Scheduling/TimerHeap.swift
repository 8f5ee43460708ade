/// Values that are due later, the earliest first; at equal times in the order of insertion.
struct TimerHeap<Value> {
    private struct Entry {
        let due: Int64
        let number: UInt64
        let value: Value

        func isBefore(_ other: Entry) -> Bool {
            due != other.due ? due < other.due : number < other.number
        }
    }

    private var entries: [Entry] = []
    private var inserted: UInt64 = 0

    /// When the first is due.
    var due: Int64? { entries.first?.due }

    mutating func insert(_ value: Value, at due: Int64) {
        inserted += 1
        entries.append(Entry(due: due, number: inserted, value: value))
        var index = entries.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard entries[index].isBefore(entries[parent]) else { return }
            entries.swapAt(index, parent)
            index = parent
        }
    }

    mutating func removeFirst() -> Value? {
        guard let first = entries.first, let last = entries.popLast() else { return nil }
        guard !entries.isEmpty else { return first.value }
        entries[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < entries.count && entries[child].isBefore(entries[least]) {
                least = child
            }
            guard least != index else { return first.value }
            entries.swapAt(index, least)
            index = least
        }
    }
}
