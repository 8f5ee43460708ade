import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// What a process needs may be there later than it, as when a machine comes up.
    @Suite struct StartTests {
        @Test("a persister and a gateway wait for a database that is away")
        func databaseLater() async throws {
            let redis = try await RedisServer.start()
            let postgres = try await PostgresServer.start()
            let database = postgres.url(database: try await postgres.makeDatabase())
            var processes: [ParleyProcess] = []
            for role in ["persister", "gateway"] {
                processes.append(
                    try await ParleyProcess.start(
                        role, database: database, arguments: ["--redis", redis.url, "--node", role],
                        environment: ["PARLEY_SECRET": "a secret of the tests, long enough for them"]))
            }
            try await postgres.stop()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for process in processes { group.addTask { try await process.restart() } }
                let areWaiting = try await eventually {
                    processes.allSatisfy { $0.logText().contains("database is not ready, waiting for it") }
                }
                #expect(areWaiting)
                try await postgres.restart()
                try await group.waitForAll()
            }
            for process in processes { try await process.kill() }
            try await postgres.stop()
        }
    }
}
