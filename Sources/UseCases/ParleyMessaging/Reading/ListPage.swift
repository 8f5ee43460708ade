/// A part of a list.
package struct ListPage<Element: Sendable>: Sendable {
    package private(set) var elements: [Element]
    /// More follow.
    package let hasMore: Bool

    /// - Parameter elements: one more than `limit`, if there are as many.
    init(_ elements: [Element], limit: Int) {
        self.elements = elements
        hasMore = elements.count > limit
        if hasMore { self.elements.removeLast() }
    }

    /// The element after which the next page begins; `nil` at the end of the list.
    package var last: Element? { hasMore ? elements.last : nil }
}
