/// What happened in one second, for progress and plots.
package struct Sample: Codable, Sendable {
    /// Seconds from the beginning of the load; negative while sockets are opened.
    package var time = 0.0
    /// How long it was, in seconds.
    package var length = 1.0
    /// Living sockets at its end, and at their fewest.
    package var connected = 0
    package var fewest = 0
    package var scheduled = 0
    package var acked = 0
    package var delivered = 0
    package var errors = 0
    package var ack = Histogram()
    package var delivery = Histogram()

    package init() {}

    package mutating func add(_ more: Sample) {
        connected += more.connected
        fewest += more.fewest
        scheduled += more.scheduled
        acked += more.acked
        delivered += more.delivered
        errors += more.errors
        ack.add(more.ack)
        delivery.add(more.delivery)
    }
}
