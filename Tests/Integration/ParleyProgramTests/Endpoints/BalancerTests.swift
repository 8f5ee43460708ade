import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// `deploy/haproxy/haproxy.cfg` in front of a node: no spelling of a path leads past its rules.
    @Suite(.enabled(if: Balancer.path != nil, "HAProxy is not installed")) struct BalancerTests {
        /// A balancer whose nodes are all the same process.
        private func start(before parley: ParleyProcess, operators: String? = nil) async throws -> Balancer {
            try await Balancer.start(gateways: [parley.port], persisters: [parley.port], operators: operators)
        }

        /// What a request for a target is answered, through a connection of its own.
        private func status(
            of target: String, port: Int, headers: String = ""
        ) async throws -> (status: Int, text: String) {
            let connection = try await RawConnection.connect(port: port)
            try await connection.send(
                "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\(headers)\r\n")
            let text = String(decoding: try await connection.readToEnd(), as: UTF8.self)
            return (Int(text.dropFirst("HTTP/1.1 ".count).prefix(3)) ?? 0, text)
        }

        @Test("what operators have is reached by no spelling of its path")
        func spellings() async throws {
            let opsPort = FreePort.next()
            let parley = try await ParleyProcess.start(arguments: ["--ops-port", "\(opsPort)"])
            let balancer = try await start(before: parley, operators: "10.0.0.0/8 127.0.0.1")
            defer { balancer.stop() }
            for target in [
                "/metrics", "//metrics", "/metrics/", "/./metrics", "/x/../metrics", "/metric%73", "/%6Detrics",
                "/%6detrics", "/%2Fmetrics", "/metrics%2F", "/metrics%3F", "/metrics#x", "/metrics\\", "\\metrics",
                "/metrics;x", "///metrics", "http://127.0.0.1/metrics", "http://127.0.0.1//metrics", "metrics",
                "/METRICS",
                "/metrics?x", "/metrics%00", "/metrics%20", "/v1//admin/overview", "/v1/./admin/overview",
                "/v1/admin//overview", "/v1/admin/overview/", "/v1/%61dmin/overview", "/v1%2Fadmin/overview",
                "/v1/x/../admin/overview", "http://127.0.0.1/v1/admin/overview", "//v1/admin/overview", "//console",
                "/console/", "/%63onsole", "//chat", "/chat//", "/./chat", "/%63hat",
            ] {
                let reply = try await status(of: target, port: balancer.port)
                #expect([400, 404].contains(reply.status), "\(target): \(reply.status)")
                #expect(!reply.text.contains("parley_"), "\(target)")
            }
            // The right spellings lead there.
            #expect(try await status(of: "/v1/admin/overview", port: balancer.port).status == 401)
            #expect(try await status(of: "/console", port: balancer.port).status == 200)
            for path in ["/chat", "/chat/", "/connect/", "/v1/socket/"] {
                #expect(try await status(of: path, port: balancer.port).status == 426)
            }
            #expect(try await status(of: "/metrics", port: opsPort).status == 200)
        }

        @Test(
            "the console and the admin API are closed to networks that are not named",
            arguments: [nil, "", "10.0.0.0/8 192.168.0.0/16"])
        func closed(operators: String?) async throws {
            let parley = try await ParleyProcess.start()
            let balancer = try await start(before: parley, operators: operators)
            defer { balancer.stop() }
            for target in [
                "/console", "/console/main.js", "/v1/admin", "/v1/admin/overview", "/v1/admin/import",
                "//v1/admin/overview", "/v1/%61dmin/overview", "http://127.0.0.1/v1/admin/overview",
            ] {
                let reply = try await status(of: target, port: balancer.port)
                #expect([400, 404].contains(reply.status), "\(target): \(reply.status)")
            }
            #expect(try await status(of: "/v1/me", port: balancer.port).status == 401)
            #expect(try await status(of: "/", port: balancer.port).status == 200)
        }

        @Test("without a listener for operators the node itself has metrics in one spelling")
        func node() async throws {
            let parley = try await ParleyProcess.start()
            #expect(try await status(of: "/metrics", port: parley.port).status == 200)
            for target in ["//metrics", "/metrics/", "/./metrics", "/%6Detrics", "http://127.0.0.1/metrics"] {
                #expect(try await status(of: target, port: parley.port).status == 404, "\(target)")
            }
        }
    }
}
