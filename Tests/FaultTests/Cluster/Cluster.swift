import ParleyTestSupport

/// Gateways and persisters with a Redis and a PostgreSQL of their own; all of them die with the tests.
///
/// The processes are changed by one task at a time: a scenario's own.
final class Cluster: Sendable {
    static let apiKey = "pk_test_0123456789abcdefghijklmnopqrstuvwxyz"

    let redis: RedisServer
    let postgres: PostgresServer
    let database: String
    let gateways: [ParleyProcess]
    let persisters: [ParleyProcess]

    private init(
        redis: RedisServer, postgres: PostgresServer, database: String, gateways: [ParleyProcess],
        persisters: [ParleyProcess]
    ) {
        self.redis = redis
        self.postgres = postgres
        self.database = database
        self.gateways = gateways
        self.persisters = persisters
    }

    static func start(
        gateways: Int = 3, persisters: Int = 2, environment: [String: String] = [:]
    ) async throws -> Cluster {
        var options = RedisServer.Options()
        options.keepsData = true
        let redis = try await RedisServer.start(options)
        let postgres = try await PostgresServer.start()
        let database = try await postgres.makeDatabase()
        let settings = [
            "PARLEY_SECRET": "a secret of the tests, long enough for them", "PARLEY_API_KEYS": "load:\(apiKey)",
            "PARLEY_LOG_LEVEL": "notice",
        ].merging(environment) { _, new in new }
        func start(_ role: String, _ number: Int) async throws -> ParleyProcess {
            try await ParleyProcess.start(
                role, database: postgres.url(database: database),
                arguments: ["--redis", redis.url, "--node", "\(role)\(number)", "--drain-seconds", "2"],
                environment: settings)
        }
        // The first persister makes the tables.
        var storing: [ParleyProcess] = []
        for number in 1...persisters { storing.append(try await start("persister", number)) }
        var doors: [ParleyProcess] = []
        for number in 1...gateways { doors.append(try await start("gateway", number)) }
        return Cluster(redis: redis, postgres: postgres, database: database, gateways: doors, persisters: storing)
    }

    /// REST as `user`.
    func rest(as user: String? = nil, persister: Int = 0) -> HTTPClient {
        var headers: HTTPClient.Headers = [("Authorization", "Bearer \(Self.apiKey)")]
        if let user { headers.append(("X-Parley-User", user)) }
        return HTTPClient(port: persisters[persister].port, headers: headers)
    }

    /// What all processes have logged at last, for a failure's message.
    func logs() -> String {
        (gateways + persisters).map { $0.logText().suffix(2000) }.joined(separator: "\n--\n")
    }

    /// Rows of the database, columns divided by `|`.
    func rows(_ sql: String) async throws -> [String] {
        let text = try await postgres.psql(sql, database: database)
        return text.split(separator: "\n").map(String.init)
    }

    func stop() async throws {
        for process in gateways + persisters { try await process.kill() }
        try await redis.kill()
        try await postgres.kill()
    }
}
