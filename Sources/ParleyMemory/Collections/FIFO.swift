/// A queue over an array: added to at the end, taken from the front, both in amortised constant time.
///
/// Not bounded by itself; each owner states its bound.
package struct FIFO<Element> {
    /// Room that is kept when the queue runs empty, in elements; beyond it a burst gives its memory back.
    private static var keptCapacity: Int { 1024 }

    private var storage: [Element?] = []
    private var front = 0

    package init() {}

    package var count: Int { storage.count - front }

    package var isEmpty: Bool { front == storage.count }

    package var first: Element? { isEmpty ? nil : storage[front] }

    /// The element at `index`, 0 being the front.
    package subscript(index: Int) -> Element {
        get {
            guard let element = storage[front + index] else { preconditionFailure("index \(index) was taken") }
            return element
        }
        set { storage[front + index] = newValue }
    }

    package mutating func append(_ element: Element) {
        storage.append(element)
    }

    /// Takes the front; `nil` if the queue is empty.
    @discardableResult
    package mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = storage[front]
        storage[front] = nil
        front += 1
        if isEmpty {
            storage.removeAll(keepingCapacity: storage.capacity <= Self.keptCapacity)
            front = 0
        } else if front >= 32, front * 2 >= storage.count {
            // As many elements move as were taken since the last time, so a take stays constant on average.
            storage.removeFirst(front)
            front = 0
        }
        return element
    }

    /// The first index whose element is one that is looked for.
    package func firstIndex(where isWanted: (Element) -> Bool) -> Int? {
        (0..<count).first { isWanted(self[$0]) }
    }

    /// How many elements are `isBefore`; those that are must come before those that are not.
    package func partitionIndex(_ isBefore: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension FIFO: Sendable where Element: Sendable {}
