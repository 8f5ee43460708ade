import Foundation
import ParleyJSON
import ParleyModel
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    @Suite("Load distributed over processes")
    struct WorkerTests {
        @Test("three processes give one table and one verdict with everything in it")
        func sound() async throws {
            let server = try await ToolRun.serve()
            let folder = try TemporaryDirectory()
            let outcome = try await ToolRun.bots([
                "--url", "ws://127.0.0.1:\(server.port)", "--workers", "3", "--loops", "2", "--duration", "2",
                "--stored-share", "1", "--json", folder.path + "/report.json",
            ])
            #expect(outcome.status == .exited(0), "\(outcome.output)")
            let text = try String(contentsOfFile: folder.path + "/report.json", encoding: .utf8)
            let report = try JSONTree(parsing: text.dropLast().description)
            let counts = report["counts"]
            let acked = counts?["acked"]?.integer ?? 0
            #expect(acked > 20 && acked == counts?["scheduled"]?.integer)
            // Four threads of five: each message reaches five sockets, whatever process they are in.
            #expect(counts?["delivered"]?.integer == acked * 5)
            #expect(report["verdict"]?["memberships"]?.integer == 20)
            #expect(report["latencies_ms"]?["delivery"]?["count"]?.integer ?? 0 > 100)
            // All processes use one clock: a latency across two of them is short.
            guard case .number(let middle)? = report["latencies_ms"]?["delivery"]?["p50"] else {
                Issue.record("no latency: \(text.prefix(2000))")
                return
            }
            #expect(middle > 0 && middle < 5000)
        }

        /// A tool with two workers whose messages have reached the server.
        private func startAtWork(on server: ParleyProcess, in folder: TemporaryDirectory) async throws -> ChildProcess {
            let child = try await ChildProcess.start(
                ParleyBinary.path(),
                ["bots", "--url", "ws://127.0.0.1:\(server.port)", "--workers", "2", "--duration", "600"],
                environment: ParleyBinary.environment(["PARLEY_API_KEY": ToolRun.key]), in: folder.path,
                output: folder.path + "/output")
            #expect(try await eventually { try await server.metrics().sum("parley_messages_in_total") ?? 0 > 10 })
            return child
        }

        @Test("workers die with the tool, however it ends")
        func orphans() async throws {
            let server = try await ToolRun.serve()
            let folder = try TemporaryDirectory()
            let child = try await startAtWork(on: server, in: folder)
            let pid = try #require(child.pid)
            let workers = ProcessTable.children(of: pid)
            #expect(workers.count == 2)
            child.signal(SIGKILL)
            #expect(try await eventually { !workers.contains { ProcessTable.lives($0) } })
        }

        @Test("a worker that dies ends the run with a readable error")
        func dead() async throws {
            let server = try await ToolRun.serve()
            let folder = try TemporaryDirectory()
            let child = try await startAtWork(on: server, in: folder)
            let pid = try #require(child.pid)
            kill(try #require(ProcessTable.children(of: pid).first), SIGKILL)
            #expect(try await child.exit(within: .seconds(30)) == .exited(2))
            let output = try String(contentsOfFile: folder.path + "/output", encoding: .utf8)
            #expect(output.contains("has ended early"), "\(output)")
        }

        @Test("compressed sockets receive the same in fewer bytes")
        func compressed() async throws {
            let server = try await ToolRun.serve()
            func received(_ share: String) async throws -> Double {
                let folder = try TemporaryDirectory()
                let outcome = try await ToolRun.bots([
                    "--url", "ws://127.0.0.1:\(server.port)", "--compress-share", share, "--text-bytes", "1000",
                    "--classic-share", "0.5", "--duration", "2", "--json", folder.path + "/report.json",
                ])
                #expect(outcome.status == .exited(0), "\(outcome.output)")
                #expect(!outcome.output.contains("no_deflate"))
                let text = try String(contentsOfFile: folder.path + "/report.json", encoding: .utf8)
                let counts = try JSONTree(parsing: text.dropLast().description)["counts"]
                return Double(counts?["received_bytes"]?.integer ?? 0) / Double(counts?["delivered"]?.integer ?? 1)
            }
            let (plain, compressed) = (try await received("0"), try await received("1"))
            #expect(plain > 1200 && compressed < plain / 2, "\(plain) \(compressed)")
        }
    }
}
