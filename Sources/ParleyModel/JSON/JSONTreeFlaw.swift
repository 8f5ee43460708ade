/// Why a text is no JSON that a `JSONTree` can hold.
package enum JSONTreeFlaw: Error, Hashable, Sendable {
    /// Not RFC 8259, from this byte on.
    case malformed(offset: Int)
    /// More than `JSONTree.maximumDepth` arrays and objects in each other.
    case tooDeep
    /// A member of an object twice: one could not know which is meant.
    case duplicate(String)
    /// Beyond what a double holds.
    case numberTooLarge
    /// Half of a surrogate pair, or a NUL; no database takes them.
    case badText
}
