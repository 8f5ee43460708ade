/// The answer of a rate limit to one action.
package enum Permit: Hashable, Sendable {
    /// Allowed; one token was taken.
    case granted
    /// Not allowed; retry after this many microseconds.
    case wait(microseconds: Int64)
    /// A reply from the shared store is pending; retry after `moment`.
    case requested

    /// Delay before the next try when a reply is pending, in microseconds.
    package static let moment: Int64 = 1000
}
