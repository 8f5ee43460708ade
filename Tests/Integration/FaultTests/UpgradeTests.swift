import Foundation
import ParleyPostgres
import ParleyTestServers
import ParleyTestSupport
import Testing

/// The executable of the version before; `nil` is that of this build.
private enum VersionBefore {
    static let binary = ProcessInfo.processInfo.environment["PARLEY_OLD_BINARY"]
}

/// The version before runs beside this one under load, in the order of docs/operations/upgrade.md, on a schema that has a step
/// more than either of them knows.
///
/// `PARLEY_OLD_BINARY` names the executable of a released version; `deploy/verify-upgrade` builds it. Without one, this
/// version runs beside itself.
@Suite("An upgrade under load", .serialized, .timeLimit(.minutes(15)))
struct UpgradeTests {
    @Test("all nodes are replaced one by one, and one of each kind again: nothing is lost, doubled or reordered")
    func messages() async throws {
        let cluster = try await Cluster.start(
            gateways: 2, environment: FaultRun.unlimited, binary: VersionBefore.binary)
        try await FaultRun.run(FaultRun.plan(seconds: 180), on: cluster, endsEarly: true) { flow in
            try await flow.acked(200)
            try await Self.migrate(cluster)
            try await Self.areReady(cluster)
            try await flow.acked(200)
            for persister in cluster.persisters {
                try await Self.replace(persister)
                try await Self.areReady(cluster)
                try await flow.stored(200)
            }
            for gateway in cluster.gateways {
                try await Self.replace(gateway)
                try await flow.isWhole()
                try await flow.acked(200)
            }
            // And back, as far as half of the cluster.
            for process in [cluster.persisters[0], cluster.gateways[0]] {
                try await Self.replace(process, by: VersionBefore.binary)
                try await flow.isWhole()
                try await flow.stored(200)
            }
        }
        try await cluster.stop()
    }

    @Test("changes of members and roles by old and new nodes in turns end as the log says, and raise versions")
    func state() async throws {
        let cluster = try await Cluster.start(gateways: 1, persisters: 2, binary: VersionBefore.binary)
        let model = StateModel(rooms: 6, users: 20)
        try await model.create(on: cluster)
        func change(seed: UInt64) async {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<2 {
                    group.addTask {
                        var worker = StateWorker(number, of: 2, cluster: cluster, model: model, seed: seed)
                        await worker.run(operations: 60)
                    }
                }
            }
        }
        await change(seed: 1)
        try await Self.migrate(cluster)
        let before = try await Self.version(cluster)
        await change(seed: 2)
        #expect(try await Self.version(cluster) > before, "what nodes of the version before write raises versions")
        // One persister is new, one is old; both write.
        try await Self.replace(cluster.persisters[0])
        await change(seed: 3)
        try await Self.replace(cluster.persisters[1])
        try await Self.replace(cluster.gateways[0])
        let reader = StateReader(cluster: cluster, model: model)
        try await reader.waitUntilQuiet()
        await change(seed: 4)
        try await reader.waitUntilQuiet()
        let violations = StateChecker.check(try await reader.facts(old: []))
        #expect(violations == [], "\(violations.prefix(20))\n\(cluster.logs())")
        try await cluster.stop()
    }

    /// Whether the balancer would go on sending users to all of them.
    private static func areReady(_ cluster: Cluster) async throws {
        for process in cluster.gateways + cluster.persisters {
            let reply = try await process.http.send("GET", "/readyz")
            #expect(reply.status == 200, "\(process.port): \(reply.text)\n\(process.logText().suffix(2000))")
        }
    }

    /// - Parameter binary: `nil`: that of this build.
    private static func replace(_ process: ParleyProcess, by binary: String? = nil) async throws {
        process.setBinary(binary)
        #expect(try await process.terminate() == .exited(0))
        try await process.restart()
    }

    private static func migrate(_ cluster: Cluster) async throws {
        let url = cluster.postgres.url(database: cluster.database)
        let outcome = try await ParleyBinary.run(["migrate", "--database", url])
        #expect(outcome.status == .exited(0), "\(outcome.output)")
        let next = Migration(
            number: Migrations.current + 1, name: "synthetic", oldestNode: Migrations.current,
            statements: ["ALTER TABLE users ADD COLUMN synthetic bigint"])
        let connection = try PostgresConnection(PostgresSettings(url: url))
        try Migrations.run(Migrations.all + [next], on: connection, at: 1)
    }

    private static func version(_ cluster: Cluster) async throws -> Int {
        try await cluster.rows("SELECT coalesce(sum(version), 0) FROM versions").first.flatMap { Int($0) } ?? -1
    }
}
