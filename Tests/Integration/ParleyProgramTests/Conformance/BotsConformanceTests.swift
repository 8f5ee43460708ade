import Foundation
import ParleyConformance
import ParleyTestServers
import ParleyTestSupport
import Synchronization
import Testing

extension ConformanceTests {
    /// Bots send by plan, not on request, and do not wait for the answer to the message before. A hole in live events
    /// is for them a fault of the server, which they report and do not repair.
    @Suite("The bots against the conformance kit")
    struct BotsConformanceTests {
        @Test("they break no rule that fits them")
        func all() async throws {
            let record = try ConformanceRecord.named("bots")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, name) in record.scenarios().enumerated() {
                    // A few at a time: their clocks are real.
                    if index >= 5 { try await group.next() }
                    group.addTask {
                        let result = try await KitRun.play(
                            name, allowing: record.allowedRules, with: BotDriver())
                        #expect(result["outcome"]?.string == "ok", "\(name): \(KitRun.summary(result))")
                    }
                }
                try await group.waitForAll()
            }
        }

        @Test("the kit starts its client anew for each scenario, and names what it lacks")
        func started() async throws {
            let client = """
                "$PARLEY_TEST_BINARY" bots --url "ws${PARLEY_CHAT_SERVER#http}" --bots 1 --threads 1 --members 1 --rate 2 \
                --stored-share 1 --classic-share 0 --warm-up 0
                """
            let outcome = try await ParleyBinary.run(
                [
                    "admin", "conformance", "--client", client, "--scenario", "plain", "--scenario", "refused",
                    "--allow", "send.one-at-a-time",
                ],
                environment: ["PARLEY_API_KEY": ToolRun.key, "PARLEY_TEST_BINARY": try ParleyBinary.path()],
                within: .seconds(60))
            #expect(outcome.status == .exited(0), "\(outcome.output)")
            #expect(outcome.output.contains("ok       plain\n"))
            #expect(outcome.output.contains("ok       refused\n"))

            let none = try await ParleyBinary.run(["admin", "conformance", "--client", "exit 3", "--scenario", "plain"])
            #expect(none.status == .exited(1))
            #expect(none.output.contains("no client has connected"))
            let unknown = try await ParleyBinary.run(["admin", "conformance", "--scenario", "rain"])
            #expect(unknown.output.contains("there is no scenario rain"))
            let list = try await ParleyBinary.run(["admin", "conformance", "--list"])
            for scenario in Scenario.all { #expect(list.output.contains(scenario.name)) }
        }
    }
}

/// `parley bots` with one bot. State is guarded by a mutex.
private final class BotDriver: KitRun.Driver {
    private let child = Mutex<ChildProcess?>(nil)
    private let directory: TemporaryDirectory?

    init() { directory = try? TemporaryDirectory() }

    func begin(url: String, user: String, password: String) async throws {
        let path = directory?.path ?? "/tmp"
        let plan = [
            "--bots", "1", "--threads", "1", "--members", "1", "--rate", "1", "--stored-share", "1", "--classic-share",
            "0", "--duration", "60", "--warm-up", "0",
        ]
        let bots = try await ChildProcess.start(
            ParleyBinary.path(), ["bots", "--url", url.replacing("http:", with: "ws:")] + plan,
            environment: ParleyBinary.environment(["PARLEY_API_KEY": ToolRun.key]), in: path, output: path + "/output")
        child.withLock { $0 = bots }
    }

    func obey(_ line: String) async throws {}

    func end() async { child.withLock { $0 }?.signal(SIGKILL) }
}
