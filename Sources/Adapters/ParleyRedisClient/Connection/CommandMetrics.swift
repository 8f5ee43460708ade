import CoreMetrics

/// The metrics of one host's commands; the dimension is `host`.
struct CommandMetrics: Sendable {
    /// Commands sent: `parley_redis_commands_total`.
    private let commands: Counter
    /// Writes for these commands: `parley_redis_writes_total`. Commands per write shows how well they are pipelined.
    private let writes: Counter
    /// Commands not sent because of the limits or a missing connection: `parley_redis_refused_total`.
    private let refused: Counter
    /// Time from the write to the reply, for the first command of each write: `parley_redis_command_seconds`.
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
