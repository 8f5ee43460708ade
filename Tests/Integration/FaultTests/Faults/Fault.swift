import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

/// Something that breaks in a cluster, and is well again afterwards.
enum Fault: String, CaseIterable, Sendable {
    /// SIGKILL, and started again.
    case gatewayKilled, persisterKilled, bothPersistersKilled
    /// SIGTERM, and started again when it is gone.
    case gatewayDrained, persisterStopped
    /// SIGSTOP for a while: it does not answer, and does not know.
    case gatewayPaused, persisterPaused, redisPaused
    /// SIGKILL with an append-only file, and started again at once or after a while.
    case redisRestarted, redisAway
    /// The line between one gateway and Redis.
    case gatewayCut, gatewayFrozen, gatewayDeaf
    /// The line between one persister and a server.
    case persisterCutFromRedis, persisterCutFromDatabase, persisterFrozenFromDatabase
    /// Everybody is cut off from PostgreSQL.
    case databaseAway

    /// Breaks something, waits, and mends it. Returns when the processes are ready again.
    /// - Parameter rest: how long it stays broken, if it is not mended by being started again.
    func strike(_ cluster: Cluster, for rest: Duration, _ random: inout SeededGenerator) async throws {
        let gateway = cluster.gateways.indices.randomElement(using: &random) ?? 0
        let persister = cluster.persisters.indices.randomElement(using: &random) ?? 0
        switch self {
        case .gatewayKilled:
            try await cluster.gateways[gateway].restart()
        case .persisterKilled:
            try await cluster.persisters[persister].restart()
        case .bothPersistersKilled:
            for process in cluster.persisters { try await process.kill() }
            try await Task.sleep(for: rest)
            for process in cluster.persisters { try await process.restart() }
        case .gatewayDrained:
            #expect(try await cluster.gateways[gateway].terminate() == .exited(0))
            try await cluster.gateways[gateway].restart()
        case .persisterStopped:
            #expect(try await cluster.persisters[persister].terminate() == .exited(0))
            try await cluster.persisters[persister].restart()
        case .gatewayPaused:
            try await pause(cluster.gateways[gateway], for: rest)
        case .persisterPaused:
            try await pause(cluster.persisters[persister], for: rest)
        case .redisPaused:
            cluster.redis.pause()
            try await Task.sleep(for: rest)
            cluster.redis.resume()
        case .redisRestarted:
            try await cluster.redis.restart()
        case .redisAway:
            try await cluster.redis.kill()
            try await Task.sleep(for: rest)
            try await cluster.redis.restart()
        case .gatewayCut:
            try await spoil(cluster.gatewayLines[gateway].redis, .cut, for: rest)
        case .gatewayFrozen:
            try await spoil(cluster.gatewayLines[gateway].redis, .frozen, for: rest)
        case .gatewayDeaf:
            try await spoil(cluster.gatewayLines[gateway].redis, .deaf, for: rest)
        case .persisterCutFromRedis:
            try await spoil(cluster.persisterLines[persister].redis, .cut, for: rest)
        case .persisterCutFromDatabase:
            try await spoil(cluster.persisterLines[persister].postgres, .cut, for: rest)
        case .persisterFrozenFromDatabase:
            try await spoil(cluster.persisterLines[persister].postgres, .frozen, for: rest)
        case .databaseAway:
            let lines = cluster.gatewayLines + cluster.persisterLines
            for line in lines { line.postgres.become(.cut) }
            try await Task.sleep(for: rest)
            for line in lines { line.postgres.become(.normal) }
        }
    }

    private func pause(_ process: ParleyProcess, for rest: Duration) async throws {
        process.signal(SIGSTOP)
        try await Task.sleep(for: rest)
        process.signal(SIGCONT)
    }

    private func spoil(_ line: TCPProxy, _ mode: TCPProxy.Mode, for rest: Duration) async throws {
        line.become(mode)
        try await Task.sleep(for: rest)
        line.become(.normal)
    }
}
