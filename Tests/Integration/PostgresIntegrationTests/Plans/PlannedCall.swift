import ParleyPostgres
import Testing

/// A statement with values, and the maximum number of message rows it may read.
struct PlannedCall: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var call: Call
    var messages: Int

    init(testDescription: String, call: Call, messages: Int = 0) {
        self.testDescription = testDescription
        self.call = call
        self.messages = messages
    }

    init<Value>(testDescription: String, call: TypedCall<Value>, messages: Int = 0) {
        self.init(testDescription: testDescription, call: call.call, messages: messages)
    }
}
