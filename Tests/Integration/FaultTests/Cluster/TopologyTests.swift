import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

/// The topology of `docker-compose.yml`, as `make cluster` runs it.
@Suite("deploy/ works as it stands", .serialized, .timeLimit(.minutes(5)))
struct TopologyTests {
    /// Runs a script of `deploy/` to its end.
    private func run(
        _ script: String, _ arguments: [String] = [], environment: [String: String] = [:]
    ) async throws -> (status: ProcessEnd, output: String) {
        let directory = try TemporaryDirectory()
        let output = directory.path + "/output"
        var variables = ParleyBinary.environment(environment)
        variables["CLUSTER_STATE"] = directory.path + "/state"
        let child = try await ChildProcess.start(
            Repository.path + "/" + script, arguments, environment: variables, in: Repository.path, output: output)
        let status = try await child.exit(within: .seconds(180))
        return (status, (try? String(contentsOfFile: output, encoding: .utf8)) ?? "")
    }

    @Test("balancer, three gateways, two persisters: users chat across nodes; psql and REST have each message once")
    func cluster() async throws {
        var environment = [
            "PARLEY_BINARY": try ParleyBinary.path(), "PROMETHEUS_PORT": "0", "PARLEY_DRAIN_SECONDS": "2",
        ]
        for name in [
            "BALANCER", "STATS", "GATEWAY1", "GATEWAY2", "GATEWAY3", "PERSISTER1", "PERSISTER2", "REDIS", "POSTGRES",
            "GATEWAY1_OPS", "GATEWAY2_OPS", "GATEWAY3_OPS", "PERSISTER1_OPS", "PERSISTER2_OPS",
        ] {
            environment["\(name)_PORT"] = "\(FreePort.next())"
        }
        let (status, output) = try await run("deploy/cluster", ["--check"], environment: environment)
        #expect(status == .exited(0), "\(output)")
    }

    @Test("the programs that read the files in deploy/ find nothing wrong")
    func lint() async throws {
        let (status, output) = try await run("deploy/lint")
        #expect(status == .exited(0), "\(output)")
        #expect(output.contains("docker-compose.yml"), "\(output)")
    }
}
