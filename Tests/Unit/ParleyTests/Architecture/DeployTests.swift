import Foundation
import ParleyTestSupport
import Testing

/// The alerts, their documentation, and their tests.
@Suite struct DeployTests {
    private static func alerts() throws -> [String] {
        try Repository.text("deploy/prometheus/alerts.yml").matches(of: /- alert: (\w+)/).map { String($0.1) }
    }

    @Test("promtool reads the alerts, and their tests hold", arguments: [["check", "rules"], ["test", "rules"]])
    func rules(command: [String]) async throws {
        let name = command[0] == "check" ? "alerts.yml" : "alerts_test.yml"
        let verdict = try await Promtool.run(command + [Repository.path + "/deploy/prometheus/\(name)"])
        #expect(verdict.isContent, "\(verdict.output)")
    }

    @Test("every alert has a section that says what it means and what to do, which it names; no section is left over")
    func sections() throws {
        let alerts = try Self.alerts()
        #expect(alerts.count > 30 && Set(alerts).count == alerts.count)
        let rules = try Repository.text("deploy/prometheus/alerts.yml")
        let runbook = try Repository.text("docs/operations/runbook.md")
        let chapter = try #require(runbook.split(separator: "\n## What each alert means\n").last)
        let sections = try #require(chapter.split(separator: "\n## ").first).split(separator: "\n### ").dropFirst()
        let titles = sections.map { String($0.prefix { $0.isLetter || $0.isNumber }) }
        #expect(Set(titles) == Set(alerts))
        #expect(titles.count == alerts.count)
        for (title, text) in zip(titles, sections) {
            #expect(text.contains("**What it means.**") && text.contains("**What to do.**"), "\(title)")
            let url = "{{ $externalURL }}/user/runbook.html#\(title.lowercased())"
            #expect(rules.contains("- alert: \(title)\n"), "\(title)")
            #expect(rules.contains("runbook_url: \"\(url)\"\n"), "\(title)")
        }
    }

    @Test("Prometheus serves the runbook that the alerts link to, by compose and by deploy/cluster")
    func runbook() throws {
        // The page finds its chapter and the sections by these marks.
        let page = try Repository.text("deploy/prometheus/runbooks/runbook.html")
        for mark in ["fetch('runbook.md')", "'\\n## What each alert means\\n'", "'\\n### '"] {
            #expect(page.contains(mark), "\(mark)")
        }
        let compose = try Repository.text("docker-compose.yml")
        for mount in ["deploy/prometheus/runbooks/runbook.html", "docs/operations/runbook.md"] {
            #expect(compose.contains("- ./\(mount):/etc/runbooks/\(mount.split(separator: "/").last ?? ""):ro\n"))
        }
        #expect(compose.contains("- --web.user-assets=/etc/runbooks\n"))
        #expect(try Repository.text("deploy/cluster").contains("--web.user-assets=\"$state/prometheus/runbooks\""))
    }

    @Test("every alert has a test that sees it fire")
    func tested() throws {
        let tests = try Repository.text("deploy/prometheus/alerts_test.yml")
        let fired = Set(tests.matches(of: /alertname: (\w+)\s+exp_alerts:/).map { String($0.1) })
        #expect(try Set(Self.alerts()).subtracting(fired).isEmpty)
    }

    @Test("the dashboard shows traffic, latency by hop, errors, saturation and what is not stored yet")
    func dashboard() throws {
        let text = try Repository.text("deploy/grafana/dashboards/parley.json")
        for row in ["Traffic", "Latency by hop", "Errors", "Saturation", "Persistence lag"] {
            #expect(text.contains("\"title\": \"\(row)\""), "\(row)")
        }
        let hops = [
            "frame_read", "session", "append", "bus_receive", "bus_wait", "fanout", "flush", "persist",
            "persister_write",
        ]
        for hop in hops { #expect(text.contains("parley_\(hop)_seconds_bucket"), "\(hop)") }
    }

    @Test("the dashboard asks the chosen data source for the chosen nodes")
    func variables() throws {
        let text = try Repository.text("deploy/grafana/dashboards/parley.json")
        #expect(text.contains("\"name\": \"datasource\"") && text.contains("\"name\": \"node\""))
        let sources = Set(text.matches(of: /"uid": "([^"]+)"/).map { String($0.1) })
        #expect(sources == ["parley", "${datasource}"])
        for match in text.matches(of: /"expr": "(.*)"/) {
            let query = String(match.1)
            // The balancer and the stores are no nodes; a partition is owned by any of them.
            guard query.contains(/\b(parley|process)_/), !query.contains("parley_persister_owned") else { continue }
            let metrics = query.matches(of: /\b(?:parley|process)_\w+/).count
            #expect(query.matches(of: /node=~\\"\$node\\"/).count == metrics, "\(query)")
        }
    }

    @Test("what the sources link to goes into the image's build, too")
    func imageContext() throws {
        let included = try Repository.text(".dockerignore").split(separator: "\n").filter { $0.hasPrefix("!") }
            .map { $0.dropFirst() }
        let root = Repository.path + "/"
        let sources = FileManager.default.enumerator(
            at: Repository.url("Sources"), includingPropertiesForKeys: [.isSymbolicLinkKey])
        for case let url as URL in sources?.allObjects ?? []
        where try url.resourceValues(forKeys: [.isSymbolicLinkKey]).isSymbolicLink == true {
            let place = try FileManager.default.destinationOfSymbolicLink(atPath: url.path(percentEncoded: false))
            let target = url.deletingLastPathComponent().appending(path: place).standardized.path(percentEncoded: false)
            let path = target.dropFirst(root.count)
            #expect(included.contains { path == $0 || path.hasPrefix("\($0)/") }, "\(path)")
        }
    }

    @Test("compose, Kubernetes and the documents name one image")
    func image() throws {
        #expect(try Repository.text("docker-compose.yml").contains("image: ${PARLEY_IMAGE:-parley:latest}\n"))
        for name in ["gateway", "persister", "migrate"] {
            let images = try Repository.text("deploy/kubernetes/\(name).yaml").matches(of: /image: (.+)/).map { $0.1 }
            #expect(images == ["parley:latest"], "\(name)")
        }
        #expect(
            try Repository.text("deploy/kubernetes/kustomization.yaml")
                .contains("- {name: parley, newName: parley, newTag: latest}\n"))
        #expect(try Repository.text("deploy/Dockerfile").contains("-t parley:latest ."))
        #expect(try Repository.text("docs/operations/deploy.md").contains("image `parley:latest`"))
    }

    @Test("the balancer and the ingress let nobody to the console and the admin API unless it is opened")
    func operators() throws {
        let balancer = try Repository.text("deploy/haproxy/haproxy.cfg")
        #expect(balancer.contains("if { path_beg /console /v1/admin } !operators\n"))
        let compose = try Repository.text("docker-compose.yml")
        #expect(compose.contains("BALANCER_OPERATORS: ${BALANCER_OPERATORS:-}\n"))
        let ingress = try Repository.text("deploy/kubernetes/ingress.yaml")
        for path in ["/metrics", "/console", "/v1/admin"] {
            let rule = try #require(ingress.split(separator: "- path: ").first { $0.hasPrefix("\(path)\n") })
            #expect(rule.contains("name: parley-nowhere"), "\(path)")
        }
    }

    @Test("the balancer asks each back end whether it can serve what it is there for")
    func readiness() throws {
        let sections = try Repository.text("deploy/haproxy/haproxy.cfg").split(separator: "\n\n")
        for (name, path) in [("gateways", "/readyz/sockets"), ("persisters", "/readyz/rest")] {
            let section = try #require(sections.first { $0.hasPrefix("backend \(name)\n") })
            #expect(section.contains("\n    option httpchk GET \(path)\n"), "\(name)")
        }
        // In a front end it would be ignored, and only connections would be checked.
        #expect(sections.filter { $0.contains("option httpchk") }.count == 2)
    }

    @Test("compose gives each container what it needs by name: every setting to nodes, one secret to migrate and bots")
    func compose() throws {
        let text = try Repository.text("docker-compose.yml")
        #expect(!text.contains("env_file"))
        for setting in try Repository.text("docs/settings.md").matches(of: /\| `(PARLEY_\w+)` \|/) {
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
