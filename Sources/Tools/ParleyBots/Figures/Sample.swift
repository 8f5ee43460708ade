/// The figures of one second, for progress and plots.
package struct Sample: Codable, Sendable {
    /// Seconds since the start of the load; negative while sockets are being opened.
    package var time = 0.0
    /// Its length in seconds.
    package var length = 1.0
    /// Live sockets at its end, and the minimum.
    package var connected = 0
    package var fewest = 0
    package var scheduled = 0
    package var acked = 0
    package var delivered = 0
    package var errors = 0
    package var ack = Histogram()
    package var delivery = Histogram()

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
