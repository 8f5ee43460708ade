import Foundation
import ParleyJSON
import ParleyModel
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    @Suite("The program parley bots against parley serve")
    struct BotsTests {
        @Test("a sound server gives exit code 0, a table, JSON and a self-contained page")
        func sound() async throws {
            let server = try await ToolRun.serve()
            let folder = try TemporaryDirectory()
            let (json, html) = (folder.path + "/report.json", folder.path + "/report.html")
            let outcome = try await ToolRun.bots([
                "--url", "ws://127.0.0.1:\(server.port)", "--classic-share", "1", "--duration", "2", "--json", json,
                "--html", html,
            ])
            #expect(outcome.status == .exited(0), "\(outcome.output)")
            #expect(outcome.output.contains("SOUND"))
            // The output is not a terminal, so nothing is redrawn.
            #expect(!outcome.output.contains("\r") && !outcome.output.contains("\u{1B}"))
            let report = try JSONTree(parsing: try String(contentsOfFile: json, encoding: .utf8).dropLast().description)
            #expect(report["verdict"]?["sound"] == .bool(true))
            #expect(report["counts"]?["acked"]?.integer ?? 0 > 20)
            #expect(report["latencies_ms"]?["delivery"]?["count"]?.integer ?? 0 > 100)
            guard case .number(let each)? = report["server"]?["cpu_us_per_delivery"] else {
                Issue.record("no /metrics of the server: \(report.canonical.prefix(2000))")
                return
            }
            #expect(each > 0)
            let page = try String(contentsOfFile: html, encoding: .utf8)
            #expect(page.hasPrefix("<!doctype html>") && page.contains("</html>"))
            #expect(page.components(separatedBy: "<svg").count >= 6)
            for outside in ["http-equiv", "<script", "<link", "src=", "@import", "url("] {
                #expect(!page.contains(outside))
            }
        }

        @Test("Ctrl-C ends the load, and the run so far is checked")
        func interrupted() async throws {
            let server = try await ToolRun.serve()
            let folder = try TemporaryDirectory()
            let child = try await ChildProcess.start(
                ParleyBinary.path(),
                ["bots", "--url", "ws://127.0.0.1:\(server.port)", "--duration", "600", "--classic-share", "1"],
                environment: ParleyBinary.environment(["PARLEY_API_KEY": ToolRun.key]), in: folder.path,
                output: folder.path + "/output")
            #expect(
                try await eventually(within: .seconds(20)) {
                    try await server.metrics().sum("parley_messages_in_total") ?? 0 > 30
                })
            child.signal(SIGINT)
            #expect(try await child.exit(within: .seconds(40)) == .exited(0))
            let output = try String(contentsOfFile: folder.path + "/output", encoding: .utf8)
            #expect(output.contains("SOUND"), "\(output)")
        }

        @Test("bots log in with passwords, if configured")
        func login() async throws {
            let server = try await ToolRun.serve()
            let outcome = try await ToolRun.bots([
                "--url", "ws://127.0.0.1:\(server.port)", "--classic-share", "1", "--duration", "1", "--login",
            ])
            #expect(outcome.status == .exited(0), "\(outcome.output)")
            #expect(outcome.output.contains(/login( +[\d.]+){5} +20\n/))
        }

        @Test("a dropped delivery gives exit code 1, and the thread, seq and bot are named")
        func broken() async throws {
            let cluster = try await FakeCluster.start([.drops(delivery: 77)])
            let outcome = try await ToolRun.bots(["--url", cluster.url, "--duration", "2", "--classic-share", "0"])
            try await cluster.stop()
            #expect(outcome.status == .exited(1), "\(outcome.output)")
            #expect(
                outcome.output.contains(
                    /First: gap: thread \w+\.t\d+, seq \d+, bot \w+\.u\d+: the socket did not receive/))
        }

        @Test(
            "invalid input gives a readable error and exit code 2",
            arguments: [
                (["--url", "ws://127.0.0.1:1"], "127.0.0.1"), (["--preset", "nonsense"], "smoke, chat"),
                (["--bots", "0"], "bots"), (["--bots", "1000000"], "ulimit"),
                (["--plan", "/nowhere.json"], "/nowhere.json"),
            ])
        func failures(arguments: [String], what: String) async throws {
            let outcome = try await ToolRun.bots(arguments)
            #expect(outcome.status == .exited(2), "\(outcome.output)")
            #expect(outcome.output.contains(what), "\(outcome.output)")
        }

        @Test("parley bots plan has its own options, though parley bots has some of the same name")
        func plan() async throws {
            let outcome = try await ParleyBinary.run(
                ["bots", "plan", "--sockets", "200000", "--members", "20", "--rate", "3000", "--text-bytes", "200"])
            #expect(outcome.status == .exited(0), "\(outcome.output)")
            // 3,000 messages a second to the ten connected ones of twenty members.
            #expect(outcome.output.contains("30,000 a second"), "\(outcome.output)")
            for part in ["gateways", "Redis hosts", "persisters", "rows and", "GiB a day"] {
                #expect(outcome.output.contains(part), "\(outcome.output)")
            }
        }

        @Test("without a key the error says where to get one")
        func noKey() async throws {
            let outcome = try await ParleyBinary.run(["bots"])
            #expect(outcome.status == .exited(2))
            #expect(outcome.output.contains("PARLEY_API_KEYS"))
        }
    }
}
