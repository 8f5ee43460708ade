import Foundation
import ParleyTestServers
import ParleyTestSupport

/// Two gateways and a persister on a Redis and a PostgreSQL database of their own.
struct ProgramCluster {
    static let apiKey = "pk_program_0123456789abcdefghijklmnop"

    let redis: RedisServer
    let gateways: [ParleyProcess]
    let persister: ParleyProcess

    /// - Parameters:
    ///   - traceEvery: the setting of each gateway.
    ///   - environment: further settings of all processes.
    static func start(traceEvery: [Int] = [0, 0], environment: [String: String] = [:]) async throws -> ProgramCluster {
        let redis = try await RedisServer.start()
        let postgres = try await SharedPostgres.server()
        let database = postgres.url(database: try await postgres.makeDatabase())
        func start(_ role: String, _ node: String, traceEvery: Int) async throws -> ParleyProcess {
            try await ParleyProcess.start(
                role, database: database, arguments: ["--redis", redis.url, "--node", node],
                environment: [
                    "PARLEY_SECRET": "a secret of the tests, long enough for them",
                    "PARLEY_API_KEYS": "ops:\(apiKey)", "PARLEY_OPS_TRACE_EVERY": "\(traceEvery)",
                    "PARLEY_DRAIN_SECONDS": "1",
                ].merging(environment) { $1 })
        }
        // It makes the tables.
        let persister = try await start("persister", "p1", traceEvery: 0)
        var gateways: [ParleyProcess] = []
        for (index, every) in traceEvery.enumerated() {
            gateways.append(try await start("gateway", "g\(index + 1)", traceEvery: every))
        }
        return ProgramCluster(redis: redis, gateways: gateways, persister: persister)
    }

    /// REST with the API key.
    var service: HTTPClient {
        HTTPClient(port: persister.port, headers: [("Authorization", "Bearer \(Self.apiKey)")])
    }

    /// A socket of a user at a gateway.
    func socket(of user: TestUser, at gateway: Int) async throws -> TestSocket {
        try await TestSocket.connect(port: gateways[gateway].port, headers: user.cookieHeader)
    }

    func stop() async throws {
        for process in gateways + [persister] { try await process.kill() }
        try await redis.kill()
    }
}
