import Foundation
import Testing

/// The alerts, what is said of them, and their tests.
@Suite struct DeployTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

    private static func file(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private static func alerts() throws -> [String] {
        try file("deploy/prometheus/alerts.yml").matches(of: /- alert: (\w+)/).map { String($0.1) }
    }

    @Test("promtool reads the alerts, and their tests hold", arguments: [["check", "rules"], ["test", "rules"]])
    func rules(command: [String]) async throws {
        let name = command[0] == "check" ? "alerts.yml" : "alerts_test.yml"
        let verdict = try await Promtool.run(command + [Self.root.appending(path: "deploy/prometheus/\(name)").path])
        #expect(verdict.isContent, "\(verdict.output)")
    }

    @Test("every alert has a section that says what it means and what to do, which it names; no section is left over")
    func sections() throws {
        let alerts = try Self.alerts()
        #expect(alerts.count > 30 && Set(alerts).count == alerts.count)
        let rules = try Self.file("deploy/prometheus/alerts.yml")
        let operations = try Self.file("docs/operations.md")
        let chapter = try #require(operations.split(separator: "\n## What each alert means\n").last)
        let sections = try #require(chapter.split(separator: "\n## ").first).split(separator: "\n### ").dropFirst()
        let titles = sections.map { String($0.prefix { $0.isLetter || $0.isNumber }) }
        #expect(Set(titles) == Set(alerts))
        #expect(titles.count == alerts.count)
        for (title, text) in zip(titles, sections) {
            #expect(text.contains("**What it means.**") && text.contains("**What to do.**"), "\(title)")
            #expect(rules.contains("runbook: docs/operations.md#\(title.lowercased())\n"), "\(title)")
        }
    }

    @Test("every alert has a test that sees it fire")
    func tested() throws {
        let tests = try Self.file("deploy/prometheus/alerts_test.yml")
        let fired = Set(tests.matches(of: /alertname: (\w+)\s+exp_alerts:/).map { String($0.1) })
        #expect(try Set(Self.alerts()).subtracting(fired).isEmpty)
    }

    @Test("the dashboard shows traffic, latency by hop, errors, saturation and what is not stored yet")
    func dashboard() throws {
        let text = try Self.file("deploy/grafana/dashboards/parley.json")
        for row in ["Traffic", "Latency by hop", "Errors", "Saturation", "Persistence lag"] {
            #expect(text.contains("\"title\": \"\(row)\""), "\(row)")
        }
        let hops = [
            "frame_read", "session", "append", "bus_receive", "bus_wait", "fanout", "flush", "persist",
            "persister_write",
        ]
        for hop in hops { #expect(text.contains("parley_\(hop)_seconds_bucket"), "\(hop)") }
    }

    @Test("compose gives each container what it needs by name: every setting to nodes, one secret to migrate and bots")
    func compose() throws {
        let text = try Self.file("docker-compose.yml")
        #expect(!text.contains("env_file"))
        for setting in try Self.file("docs/settings.md").matches(of: /\| `(PARLEY_\w+)` \|/) {
            // Those that only containers of another kind would have.
            if ["PARLEY_LINE_PORT", "PARLEY_OPS_BIND"].contains(setting.1) { continue }
            #expect(text.contains("  \(setting.1):"), "\(setting.1)")
        }
        let services = try #require(text.split(separator: "\nservices:\n").last).split(separator: "\n\n")
        for (name, variables) in [("migrate", ["PARLEY_DATABASE", "PARLEY_NODE"]), ("bots", ["PARLEY_API_KEY"])] {
            let service = try #require(services.first { $0.contains("\n  \(name):\n") || $0.hasPrefix("  \(name):\n") })
            #expect(!service.contains("*parley-environment"))
            #expect(service.matches(of: /\n      (PARLEY_\w+):/).map { String($0.1) } == variables)
        }
    }
}
