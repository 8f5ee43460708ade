import ParleyTestServers
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
    /// Between each gateway, and each persister, and the servers; empty if they are connected directly.
    let gatewayLines: [Lines]
    let persisterLines: [Lines]

    /// What a process is connected by.
    struct Lines: Sendable {
        let redis: TCPProxy
        let postgres: TCPProxy
    }

    private init(
        redis: RedisServer, postgres: PostgresServer, database: String, gateways: [ParleyProcess],
        persisters: [ParleyProcess], gatewayLines: [Lines], persisterLines: [Lines]
    ) {
        self.redis = redis
        self.postgres = postgres
        self.database = database
        self.gateways = gateways
        self.persisters = persisters
        self.gatewayLines = gatewayLines
        self.persisterLines = persisterLines
    }

    /// - Parameters:
    ///   - hasLines: whether the processes reach Redis and PostgreSQL by lines that can be cut.
    ///   - binary: the executable; `nil`: that of this build.
    static func start(
        gateways: Int = 3, persisters: Int = 2, hasLines: Bool = false, drainSeconds: Int = 2,
        environment: [String: String] = [:], binary: String? = nil
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
        func start(_ role: String, _ count: Int) async throws -> (processes: [ParleyProcess], lines: [Lines]) {
            var (processes, lines): ([ParleyProcess], [Lines]) = ([], [])
            for number in 1...count {
                var (redisURL, databaseURL) = (redis.url, postgres.url(database: database))
                if hasLines {
                    let own = Lines(
                        redis: try await TCPProxy.start(to: redis.port),
                        postgres: try await TCPProxy.start(to: postgres.port))
                    redisURL = redisURL.replacing(":\(redis.port)", with: ":\(own.redis.port)")
                    databaseURL = databaseURL.replacing(":\(postgres.port)", with: ":\(own.postgres.port)")
                    lines.append(own)
                }
                processes.append(
                    try await ParleyProcess.start(
                        role, database: databaseURL,
                        arguments: [
                            "--redis", redisURL, "--node", "\(role)\(number)", "--drain-seconds", "\(drainSeconds)",
                        ],
                        environment: settings, binary: binary))
            }
            return (processes, lines)
        }
        // The first persister makes the tables.
        let storing = try await start("persister", persisters)
        let endpoints = try await start("gateway", gateways)
        return Cluster(
            redis: redis, postgres: postgres, database: database, gateways: endpoints.processes,
            persisters: storing.processes, gatewayLines: endpoints.lines, persisterLines: storing.lines)
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

    /// Waits until the store has a thread up to this seq.
    func waitUntilStored(_ thread: String, seq: Int, within limit: Duration = .patience) async throws {
        let isStored = try await eventually(within: limit) {
            let head = try await rows("SELECT head_seq FROM threads WHERE id = '\(thread)'").first.flatMap { Int($0) }
            return (head ?? -1) >= seq
        }
        if !isStored { throw TimedOut("store of \(thread) up to \(seq)", after: limit) }
    }

    func stop() async throws {
        for process in gateways + persisters { try await process.kill() }
        try await redis.kill()
        try await postgres.kill()
    }
}
