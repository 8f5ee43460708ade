import ParleyWire

/// The state of one message of the client.
struct SendRecord {
    let send: V1Send
    /// The position among the messages, in the order of their first sends.
    let order: Int
    /// The connection on which an answer is expected.
    var inFlightOn: Int?
    /// The position in the log; `nil` before the message is logged, and after the log has lost it.
    var seq: Int64?
    /// The time and connection at which the client learned that the message is stored, or accepted if it has not
    /// requested more.
    var confirmed: (connection: Int, at: Duration)?
    /// The earliest time of a repetition.
    var notBefore: Duration?
    /// Whether the message was refused permanently.
    var isDead = false

    init(_ send: V1Send, order: Int) {
        self.send = send
        self.order = order
    }
}
