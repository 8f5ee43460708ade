import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The metrics of the processes, and whether dashboards and documents match them.
    @Suite struct MetricsTests {
        /// Names of metrics in the queries of alerts and dashboards. Those of exporters are not ours to look for.
        private static func queriedNames() throws -> Set<String> {
            let rules = try Repository.text("deploy/prometheus/alerts.yml")
            let dashboard = try Repository.text("deploy/grafana/dashboards/parley.json")
            return Set((rules + dashboard).matches(of: /\b(?:parley|process)_[a-z_]+\b/).map { String($0.0) })
        }

        /// A client of each gateway sends a message, and the metrics of each role show it.
        private static func busyCluster() async throws -> (cluster: ProgramCluster, scrapes: [String: String]) {
            let cluster = try await ProgramCluster.start()
            let alice = try await TestUser.signUp("alice", port: cluster.persister.port)
            let bob = try await TestUser.signUp("bob", port: cluster.persister.port)
            let thread = try await alice.join("Room")
            _ = try await bob.join("Room")
            let sockets = [try await cluster.socket(of: alice, at: 0), try await cluster.socket(of: bob, at: 1)]
            for number in 0..<40 {
                try await sockets[number % 2].say("\(number)", in: thread)
                for socket in sockets { _ = try await socket.nextMessage() }
            }
            let isStored = try await eventually {
                try await cluster.persister.metrics().sum("parley_persist_seconds_count") ?? 0 >= 40
            }
            #expect(isStored)
            var scrapes: [String: String] = [:]
            for (role, process) in [("gateway", cluster.gateways[0]), ("persister", cluster.persister)] {
                scrapes[role] = try await process.http.get("/metrics").text
            }
            // With all options on. The missing tables of Django are among what it reports.
            let directory = try TemporaryDirectory()
            // The key of the sender in RFC 8291, appendix A.
            try "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw".write(
                toFile: directory.path + "/vapid", atomically: true, encoding: .utf8)
            let serve = try await ParleyProcess.start(environment: [
                "PARLEY_DJANGO_SECRET_KEY": "a key of the tests",
                "PARLEY_PUSH_VAPID_KEY_FILE": directory.path + "/vapid",
                "PARLEY_PUSH_VAPID_SUBJECT": "mailto:ops@example.org",
            ])
            scrapes["serve"] = try await serve.http.get("/metrics").text
            return (cluster, scrapes)
        }

        @Test("every thread of a persister has its nice value, also under load, and a gateway that of its parent")
        func priority() async throws {
            let cluster = try await ProgramCluster.start()
            let own = Int(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0))
            let persister = try #require(cluster.persister.pid)
            #expect(try Self.niceValues(of: persister) == [max(own, 5)])
            // Requests wake worker threads of libdispatch, each of which sets a nice value of its own as it begins.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<32 {
                    group.addTask { _ = try await cluster.persister.http.get("/openapi.json") }
                }
                try await group.waitForAll()
            }
            #expect(try Self.niceValues(of: persister) == [max(own, 5)])
            let gateway = try #require(cluster.gateways[0].pid)
            #expect(try Self.niceValue(of: gateway, thread: "\(gateway)") == own)
        }

        /// The nice values of a process' threads.
        private static func niceValues(of process: pid_t) throws -> Set<Int> {
            let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
            return Set(try threads.compactMap { try niceValue(of: process, thread: $0) })
        }

        /// The nice value of a thread (proc_pid_stat(5), field 19), or nil if it has ended.
        private static func niceValue(of process: pid_t, thread: String) throws -> Int? {
            let file = "/proc/\(process)/task/\(thread)/stat"
            guard let stat = try? String(contentsOfFile: file, encoding: .utf8) else { return nil }
            // The name of the thread, in parentheses, may contain spaces.
            let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
            return Int(try #require(fields.dropFirst(16).first))
        }

        @Test("promtool is content with every role, each metric is explained and documented, and queries find theirs")
        func roles() async throws {
            let (cluster, texts) = try await Self.busyCluster()
            let operations = try Repository.text("docs/operations/monitoring.md")
            var names: Set<String> = []
            for (role, text) in texts {
                let verdict = try await Promtool.run(["check", "metrics"], input: text)
                #expect(verdict.isContent && verdict.output.isEmpty, "\(role): \(verdict.output)")
                let scrape = Scrape(parsing: text)
                names.formUnion(scrape.queryNames)
                for (name, family) in scrape.families where name.hasPrefix("parley_") {
                    #expect(family.help != name.replacing("_", with: " ") + ".", "\(name) is not in MetricsCatalogue")
                    #expect(operations.contains("`\(name)`"), "docs/operations/monitoring.md says nothing of \(name)")
                }
            }
            let missing = try Self.queriedNames().subtracting(names)
            #expect(missing.isEmpty, "alerts or dashboard ask for what nobody exports: \(missing.sorted())")

            // Every hop was passed.
            let gateway = Metrics(parsing: texts["gateway"] ?? "")
            for hop in ["frame_read", "append", "bus_receive", "bus_wait", "fanout", "flush", "redis_command"] {
                #expect(gateway.sum("parley_\(hop)_seconds_count") ?? 0 > 0, "\(hop)")
            }
            #expect(gateway.sum("parley_session_seconds_count") != nil)
            let persister = Metrics(parsing: texts["persister"] ?? "")
            #expect(persister.sum("parley_persist_seconds_count") ?? 0 >= 40)
            #expect(persister.sum("parley_persister_write_seconds_count") ?? 0 > 0)
            #expect(persister.sum("parley_persister_owned") == 64)
            #expect(gateway.sum("parley_redis_up") == 2 && persister.sum("parley_postgres_up") == 1)
            #expect(gateway.sum("parley_redis_connects_total") == 2)
            // It subscribes to nothing, so there is no such connection that could be down, and nobody to be woken.
            #expect(persister.sum("parley_redis_up", where: #"link="command""#) == 1)
            #expect(persister.sum("parley_redis_up", where: #"link="subscriber""#) == nil)
            try await cluster.stop()
        }

        @Test("promtool would not be content with what is wrong")
        func wrong() async throws {
            for text in [
                "# HELP a_total A.\n# TYPE a_total gauge\na_total 1\n", "a{b=1} 1\n", "# TYPE n counter\nn 1\n",
            ] {
                #expect(try await !Promtool.run(["check", "metrics"], input: text).isContent)
            }
        }

        @Test("three hundred users and threads make no more series than three, and are named in no label")
        func cardinality() async throws {
            let key = "pk_cardinality_0123456789abcdefghijk"
            let parley = try await ParleyProcess.start(environment: ["PARLEY_API_KEYS": "load:\(key)"])
            let service = HTTPClient(port: parley.port, headers: [("Authorization", "Bearer \(key)")])
            func run(_ numbers: Range<Int>) async throws -> Scrape {
                let lines = numbers.flatMap { number in
                    [
                        #"{"user":{"id":"u-card-\#(number)","username":"n-card-\#(number)"}}"#,
                        #"{"thread":{"id":"t-card-\#(number)","title":"r-card-\#(number)"}}"#,
                        #"{"member":{"thread":"t-card-\#(number)","user":"u-card-\#(number)"}}"#,
                    ]
                }
                let imported = try await service.send(
                    "POST", "/v1/admin/import", headers: [("Content-Type", "application/x-ndjson")],
                    body: Array(lines.joined(separator: "\n").utf8))
                #expect(imported.status == 200)
                for number in numbers {
                    let user: HTTPClient.Headers = [("X-Parley-User", "u-card-\(number)")]
                    let socket = try await TestSocket.connect(
                        port: parley.port, headers: [("Authorization", "Bearer \(key)")] + user)
                    try await socket.say("hi", in: "t-card-\(number)")
                    _ = try await socket.nextMessage()
                    await socket.drop()
                    let sent = try await service.post(
                        "/v1/threads/t-card-\(number)/messages", json: ["text": "ho"], headers: user)
                    #expect(sent.status == 201)
                    _ = try await service.get("/v1/threads/t-card-\(number)/messages", headers: user)
                    _ = try await service.get("/v1/threads/nowhere-card-\(number)/messages", headers: user)
                    _ = try await service.get("/no/such/path-card-\(number)")
                }
                return Scrape(parsing: try await parley.http.get("/metrics").text)
            }
            let (few, many) = (try await run(0..<3), try await run(3..<303))
            #expect(many.samples.count <= few.samples.count + 30, "\(few.samples.count) then \(many.samples.count)")
            #expect(many.samples.count < 1500, "\(many.samples.count)")
            let named = many.labelValues.filter { $0.contains("card") }
            #expect(named.isEmpty, "\(named)")
        }
    }
}
