import ParleyPostgres
import Testing

/// A statement with values, and the maximum number of message rows it may read.
struct PlannedCall: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var call: Call
    var messages = 0
}
