/// A page of a list.
package struct ListPage<Element: Sendable>: Sendable {
    package private(set) var elements: [Element]
    /// Whether more elements follow.
    package let hasMore: Bool

    /// - Parameter elements: The elements of the page, and one more if there is one.
    init(_ elements: [Element], limit: Int) {
        self.elements = elements
        hasMore = elements.count > limit
        if hasMore { self.elements.removeLast() }
    }

    /// The element to continue after; `nil` at the end of the list.
    package var last: Element? { hasMore ? elements.last : nil }
}
