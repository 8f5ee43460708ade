import Metrics
import ParleyGateway
import ParleyMessaging
import ParleyMetrics
import ParleyREST

/// The reports of a process about itself: to load balancers, to Prometheus, and to operators.
struct Reports {
    let readiness = Readiness()
    let clocks: ClockWatch
    let reporter: NodeReporter
    let ops: OpsServices

    init(_ base: NodeBase, _ adapters: Adapters, _ gateway: Gateway?) {
        let (registry, role) = (base.registry, base.role)
        let clocks = ClockWatch(
            base.databaseClock, database: adapters.database, peers: adapters.backend.clocks,
            record: { peer, seconds in
                Gauge(label: "parley_clock_ahead_seconds", dimensions: [("peer", peer)], factory: registry)
                    .record(seconds)
            }, logger: base.logger)
        self.clocks = clocks
        reporter = NodeReporter(base, adapters, gateway)
        ops = OpsServices(
            readiness: { [readiness] in await readiness.report(of: adapters, as: role, clocks) },
            metricsText: { registry.text() }, version: Version.text,
            hasOwnListener: base.settings.opsListener != nil)
    }
}
