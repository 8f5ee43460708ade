import ParleyBots
import Testing

@Suite("Server status and endpoints")
struct ServerStatusTests {
    @Test("CPU time, memory and counters are summed over labels and servers; everything else is ignored")
    func metrics() {
        let text = """
            # HELP process_cpu_seconds_total User and system CPU time.
            # TYPE process_cpu_seconds_total counter
            process_cpu_seconds_total 1.5
            # TYPE process_resident_memory_bytes gauge
            process_resident_memory_bytes 1e+06
            # TYPE parley_messages_in_total counter
            parley_messages_in_total{dialect="v1"} 3
            parley_messages_in_total{dialect="classic"} 4
            # TYPE parley_sockets gauge
            parley_sockets 12
            parley_broken_total NaN
            no number

            """
        var status = ServerStatus()
        status.add(text)
        status.add(text)
        #expect(status.servers == 2)
        #expect(status.cpuSeconds == 3)
        #expect(status.residentBytes == 2e6)
        #expect(status.counters == ["parley_messages_in_total": 14])
    }

    @Test(
        "URLs are parsed",
        arguments: [
            ("ws://127.0.0.1:8080", "127.0.0.1", 8080, "/chat", false),
            ("wss://127.0.0.1", "127.0.0.1", 443, "/chat", true),
            ("http://127.0.0.1:81/v1/socket", "127.0.0.1", 81, "/v1/socket", false),
            ("ws://[::1]:82/", "::1", 82, "/chat", false),
            ("ws://127.0.0.1/connect", "127.0.0.1", 80, "/connect", false),
        ])
    func endpoints(url: String, host: String, port: Int, path: String, isTLS: Bool) throws {
        let endpoint = try Endpoint(url)
        #expect((endpoint.host, endpoint.port, endpoint.path, endpoint.isTLS) == (host, port, path, isTLS))
        #expect(endpoint.isLoopback == (host == "127.0.0.1"))
    }

    @Test(
        "invalid server URLs are reported",
        arguments: ["", "127.0.0.1", "ftp://x", "ws://", "ws://:80", "ws://h:0", "ws://h:x", "ws://h:65536"])
    func noEndpoints(url: String) {
        #expect(throws: PlanError.self) { try Endpoint(url) }
    }
}
