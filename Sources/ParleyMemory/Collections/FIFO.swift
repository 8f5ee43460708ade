/// A first-in, first-out queue in an array, with amortised constant time for appending and removing.
///
/// The queue itself is unbounded; each owner documents its bound.
package struct FIFO<Element> {
    /// The capacity kept when the queue becomes empty, in elements. A larger one is released.
    private static var keptCapacity: Int { 1024 }

    private var storage: [Element?] = []
    private var front = 0

    package init() {}

    package var count: Int { storage.count - front }

    package var isEmpty: Bool { front == storage.count }

    package var first: Element? { isEmpty ? nil : storage[front] }

    /// The element at `index`, counted from the front.
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

    /// Removes and returns the front element; `nil` if the queue is empty.
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
            // The number of moved elements equals the number removed since the last move, so removal is amortised
            // constant.
            storage.removeFirst(front)
            front = 0
        }
        return element
    }

    /// The first index whose element satisfies the predicate.
    package func firstIndex(where isWanted: (Element) -> Bool) -> Int? {
        (0..<count).first { isWanted(self[$0]) }
    }

    /// The number of elements that satisfy `isBefore`; they must precede all others. Takes logarithmic time.
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
