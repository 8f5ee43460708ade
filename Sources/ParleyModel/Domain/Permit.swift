/// Whether a user may do something now that has a budget.
package enum Permit: Hashable, Sendable {
    /// One is taken.
    case granted
    /// Asking again makes sense after so many microseconds.
    case wait(microseconds: Int64)
    /// It is being found out; to be asked again in a moment.
    case requested

    /// How long a moment is, in microseconds.
    package static let moment: Int64 = 1000
}
