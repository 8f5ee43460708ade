import Logging
import MetricsTestKit
import ParleyModel
import ParleyPersister
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("The lag of groups of readers", .timeLimit(.minutes(1)))
struct EventGroupReportTests {
    @Test("is reported for each group, whether it is read or not, and ends with the group")
    func lag() async throws {
        let (files, clock, metrics) = (try TemporaryDirectory(), TestClock(), TestMetrics())
        // The lag is measured by the database's clock, which is that of the machine.
        clock.milliseconds = WallClock.system.milliseconds - 90_000
        let store = try SQLiteStore(
            path: files.path + "/parley.db", clock: clock.wall, busyTimeout: .patience, waitLimit: .patience)
        try await store.migrate()
        let ann = User(id: UserID(trusted: "ann"), name: "ann")
        try await store.createUser(ann, passwordHash: nil)
        _ = try await store.importRoom("a", id: ThreadID(trusted: "a"), members: [ann])
        let report = EventGroupReport(
            store, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, metrics: metrics,
            sleep: { _ in try await Task.sleep(for: .milliseconds(1)) })
        func lag(of group: String) -> Double? {
            (try? metrics.expectGauge("parley_event_group_lag_seconds", [("group", group)]))?.lastValue
        }
        #expect(lag(of: PushService.group) == 0)
        for name in ["crm", "mail"] {
            _ = try await store.leaseGroup(
                name, to: EventGroupReader(worker: "w"), for: 60_000, beginningAt: .start)
        }
        let task = Task { try await report.run() }
        #expect(try await eventually { lag(of: "crm") == 0 && lag(of: "mail") == 0 })
        let event = Samples.event("text", in: ThreadID(trusted: "a"), seq: 1, milliseconds: clock.milliseconds)
        _ = try await store.write(Samples.batch([event], firstOffset: 1))
        #expect(try await eventually { (lag(of: "crm") ?? 0) >= 90 && (lag(of: "mail") ?? 0) >= 90 })
        let end = try await store.endOfEvents()
        #expect(try await store.acknowledge(end, of: "crm", by: "w") == .accepted)
        #expect(try await eventually { lag(of: "crm") == 0 && (lag(of: "mail") ?? 0) >= 90 })
        #expect(try await store.deleteEventGroup("mail"))
        #expect(try await eventually { lag(of: "mail") == nil })
        #expect(lag(of: PushService.group) == 0)
        task.cancel()
        _ = try? await task.value
    }
}
