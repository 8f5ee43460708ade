/// Effects to perform after a lock is released, in the order in which they were decided.
///
/// Any thread appends while it holds the lock that protects the outbox. One thread at a time is the drainer, which
/// performs the effects. Effects are thus performed outside the lock and in order; a thread that appends while another
/// one drains does not wait.
///
///     let isDrainer = lock.withLock { outbox.append(…); return outbox.begin() }
///     while isDrainer, let elements = lock.withLock({ outbox.take() }) { perform(elements) }
package struct Outbox<Element> {
    private var elements: [Element] = []
    /// Some thread is the drainer.
    private(set) package var isDraining = false

    package init() {}

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

extension Outbox: Sendable where Element: Sendable {}
