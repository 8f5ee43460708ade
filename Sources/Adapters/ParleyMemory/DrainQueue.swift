/// Effects to perform after a lock is released, in the order in which they were decided.
///
/// Many threads add, under the lock that guards the queue; one of them at a time is the drainer and performs. So
/// calls are made outside the lock and still in order. A thread that adds while another drains leaves its work to it.
///
///     let isDrainer = lock.withLock { queue.append(…); return queue.begin() }
///     while isDrainer, let elements = lock.withLock({ queue.take() }) { perform(elements) }
package struct DrainQueue<Element> {
    private var elements: [Element] = []
    /// Some thread is the drainer.
    private(set) package var isDraining = false

    /// The number of elements not yet taken.
    package var count: Int { elements.count }

    package mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Makes the caller the drainer, if there is none and elements are pending.
    /// - Returns: whether the caller is the drainer now; it must then call `take` until that returns `nil`.
    package mutating func begin() -> Bool {
        guard !isDraining, !elements.isEmpty else { return false }
        isDraining = true
        return true
    }

    /// Takes all pending elements; called by the drainer only. `nil` if there are none; the caller then is no longer
    /// the drainer.
    package mutating func take() -> [Element]? {
        guard !elements.isEmpty else {
            isDraining = false
            return nil
        }
        defer { elements = [] }
        return elements
    }
}

extension DrainQueue: Sendable where Element: Sendable {}
