import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    @Suite("Faults injected into the real server")
    struct PlantedFaultTests {
        private static let permit = ["PARLEY_PLANTED_FAULTS": "this server may lose and double messages"]

        /// The fault, the share of classic bots, the number of processes, and the expected word of the verdict.
        static let faults: [(fault: String, classicShare: String, workers: String, word: String)] = [
            ("drop:60", "0", "1", "gap"), ("drop:60", "1", "1", "gap"), ("double:60", "0", "1", "doubled"),
            ("double:60", "1", "1", "doubled"), ("swap:60", "0", "1", "doubled"), ("drop:60", "0", "2", "gap"),
        ]

        @Test("the exit code is 1, and the thread, seq and bot are named", arguments: faults)
        func found(fault: String, classicShare: String, workers: String, word: String) async throws {
            let server = try await ToolRun.serve(["--planted-fault", fault], environment: Self.permit)
            #expect(server.logText().contains("FAULT INJECTION IS ON"))
            let outcome = try await ToolRun.bots([
                "--url", "ws://127.0.0.1:\(server.port)", "--classic-share", classicShare, "--workers", workers,
                "--duration", "2", "--settle", "3",
            ])
            #expect(outcome.status == .exited(1), "\(outcome.output)")
            #expect(outcome.output.contains("BROKEN"))
            let named = #"\#(word): thread \w+\.t\d+, seq \d+, bot \w+\.u\d+: "#
            #expect(outcome.output.contains(try Regex(named)), "\(outcome.output)")
            let metrics = try await server.metrics()
            #expect(metrics.sum("parley_planted_faults_total") == 1)
        }

        @Test("no fault without the variable that allows it, and no fault metrics on a server without one")
        func refused() async throws {
            for environment in [[:], ["PARLEY_PLANTED_FAULTS": "true"]] {
                let outcome = try await ParleyBinary.run(
                    ["serve", "--port", "\(FreePort.next())", "--planted-fault", "drop:1"], environment: environment)
                #expect(outcome.status != .exited(0))
                #expect(outcome.output.contains("--planted-fault") && outcome.output.contains("PARLEY_PLANTED_FAULTS"))
            }
            for wrong in ["drop", "drop:0", "lose:3", "drop:x", ""] {
                let outcome = try await ParleyBinary.run(
                    ["serve", "--port", "\(FreePort.next())", "--planted-fault", wrong], environment: Self.permit)
                #expect(outcome.status != .exited(0))
                #expect(outcome.output.contains("drop, double, swap"), "\(outcome.output)")
            }
            let server = try await ToolRun.serve(environment: Self.permit)
            #expect(try await server.metrics().sum("parley_planted_faults_total") == nil)
            #expect(!server.logText().contains("WRONG") && !server.logText().contains("unknown setting"))
        }
    }
}
