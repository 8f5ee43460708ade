import ParleyWire

/// What is known of one message of the client.
struct SendRecord {
    let send: V1Send
    /// Its place among the messages, in the order in which they were sent first.
    let order: Int
    /// The connection on which an answer is due.
    var inFlightOn: Int?
    /// Its place in the log; `nil` until it has one, and after it was lost with the log.
    var seq: Int64?
    /// The client was told that it is stored (or accepted, if it has not asked for more): when, and on which connection.
    var confirmed: (connection: Int, at: Duration)?
    /// Not to be sent again before.
    var notBefore: Duration?
    /// Refused for good.
    var isDead = false

    init(_ send: V1Send, order: Int) {
        self.send = send
        self.order = order
    }
}
