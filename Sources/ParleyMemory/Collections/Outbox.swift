/// What is to be done after a lock is released, in the order in which it was decided.
///
/// Many threads add, under the lock that guards the outbox; one of them at a time is the drainer and performs. So
/// calls are made outside the lock and still in order. A thread that adds while another drains leaves its work to it.
///
///     let isDrainer = lock.withLock { outbox.append(…); return outbox.begin() }
///     while isDrainer, let elements = lock.withLock({ outbox.take() }) { perform(elements) }
package struct Outbox<Element> {
    private var elements: [Element] = []
    /// Somebody is the drainer.
    private(set) package var isDraining = false

    package init() {}

    /// How many elements nobody has taken yet.
    package var count: Int { elements.count }

    package mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Whether the caller is the drainer from now on: it must `take` until that answers `nil`.
    package mutating func begin() -> Bool {
        guard !isDraining, !elements.isEmpty else { return false }
        isDraining = true
        return true
    }

    /// For the drainer: all that has gathered; `nil` if nothing has, and then there is no drainer any more.
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
