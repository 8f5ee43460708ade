import ParleyPostgres
import Testing

/// A statement with values, and how many rows of messages it may read.
struct PlannedCall: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var call: Call
    var messages = 0

    /// It looks for an instant.
    var isByDate: Bool { testDescription.contains("second") }
}
