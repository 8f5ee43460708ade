import Foundation
import ParleyTestSupport

/// HAProxy with `deploy/haproxy/haproxy.cfg`.
package struct Balancer: Sendable {
    /// The path of the program, as of Debian's package or of a build from source.
    package static let path = ["/usr/sbin/haproxy", "/usr/local/sbin/haproxy", "/usr/bin/haproxy"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// It did not answer in time.
    package struct NotReady: Error {}

    package let port: Int
    private let child: ChildProcess
    private let directory: TemporaryDirectory

    /// - Parameters:
    ///   - gateways: Ports of up to three gateways; the last one stands for those that are missing.
    ///   - persisters: Ports of up to two persisters.
    ///   - operators: The networks that reach the console and the admin API; `nil` for none.
    package static func start(gateways: [Int], persisters: [Int], operators: String? = nil) async throws -> Balancer {
        guard let path, let gateway = gateways.last, let persister = persisters.last else { throw NotReady() }
        let (port, directory) = (FreePort.next(), try TemporaryDirectory())
        var environment = ProcessInfo.processInfo.environment
        environment["BALANCER_PORT"] = "\(port)"
        environment["BALANCER_STATS"] = "127.0.0.1:\(FreePort.next())"
        environment["BALANCER_MAXCONN"] = "100"
        environment["BALANCER_OPERATORS"] = operators
        for number in 0..<3 {
            environment["GATEWAY\(number + 1)"] = "127.0.0.1:\(number < gateways.count ? gateways[number] : gateway)"
        }
        for number in 0..<2 {
            environment["PERSISTER\(number + 1)"] =
                "127.0.0.1:\(number < persisters.count ? persisters[number] : persister)"
        }
        let child = try await ChildProcess.start(
            path, ["-db", "-f", Repository.path + "/deploy/haproxy/haproxy.cfg"], environment: environment,
            in: directory.path, output: directory.path + "/log")
        let balancer = Balancer(port: port, child: child, directory: directory)
        let isUp = try await eventually { (try? await HTTPClient(port: port).get("/healthz").status) == 200 }
        guard isUp else { throw NotReady() }
        return balancer
    }

    package func stop() { child.signal(SIGKILL) }
}
