import Logging
import NIOCore
import NIOPosix
import ParleyFanOut
import ParleyGateway
import ParleyMetrics
import ParleyModel

/// The basis of all parts of a process: settings, clocks, metrics and event loops.
struct NodeBase {
    let settings: Settings
    let role: Role
    let databaseClock = DatabaseClock()
    let logger: Logger
    let registry: PrometheusRegistry
    let limits: LimitCounters
    let loops: any EventLoopGroup
    let tracer: Tracer
    /// The pool for work that event loops must not wait for.
    let work = WorkPool()

    init(_ settings: Settings, as role: Role, logger: Logger) {
        self.settings = settings
        self.role = role
        self.logger = logger
        registry = PrometheusRegistry(settings: MetricsCatalogue.settings)
        registry.onScrape { ProcessMetrics().read() }
        limits = LimitCounters(factory: registry)
        // Effective only before the first use of the singleton group.
        NIOSingletons.groupLoopCountSuggestion = settings.loops
        loops = MultiThreadedEventLoopGroup.singleton
        tracer = Tracer(
            node: settings.gateway.node, every: settings.traceEvery, microseconds: WallClock.systemMicroseconds)
    }

    /// The time of the database, by which all processes reckon ages.
    var clock: WallClock { databaseClock.wall }

    /// The logger of libraries, whose info lines describe their own components and do not help operators.
    var libraryLogger: Logger {
        var libraryLogger = logger
        libraryLogger.logLevel = max(logger.logLevel, .notice)
        return libraryLogger
    }
}
