import CoreMetrics

/// What is counted of one host's commands; the dimension is `host`.
struct CommandMetrics: Sendable {
    /// `parley_redis_commands_total`: commands sent.
    private let commands: Counter
    /// `parley_redis_writes_total`: writes that took them all; the quotient tells how well they are pipelined.
    private let writes: Counter
    /// `parley_redis_refused_total`: commands not sent, since too many wait or there is no connection.
    private let refused: Counter
    /// `parley_redis_command_seconds`: from the write to the answer, of the first command of each write.
    private let seconds: CoreMetrics.Timer

    init(host: String, factory: any MetricsFactory) {
        let dimensions = [("host", host)]
        commands = Counter(label: "parley_redis_commands_total", dimensions: dimensions, factory: factory)
        writes = Counter(label: "parley_redis_writes_total", dimensions: dimensions, factory: factory)
        refused = Counter(label: "parley_redis_refused_total", dimensions: dimensions, factory: factory)
        seconds = CoreMetrics.Timer(label: "parley_redis_command_seconds", dimensions: dimensions, factory: factory)
    }

    func sent(_ count: Int) {
        commands.increment(by: count)
        writes.increment()
    }

    func wasRefused(_ count: Int = 1) {
        refused.increment(by: count)
    }

    func answered(nanoseconds: Int64) {
        seconds.recordNanoseconds(nanoseconds)
    }
}
