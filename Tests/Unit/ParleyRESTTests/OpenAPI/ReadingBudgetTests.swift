import Foundation
import HTTPTypes
import ParleyAccounts
import ParleyModel
import ParleyTestSupport
import Synchronization
import Testing

@Suite("Budgets of reading requests")
struct ReadingBudgetTests {
    /// Paths that are no reading requests of a user: sockets have limits of their own, and logging out is a change.
    private static let others: Set<String> = ["/chat", "/connect", "/v1/socket", "/auth/logout"]

    private static func document() throws -> OpenAPIDocument {
        let url = Repository.url("Sources/CWebClient/files/docs/openapi.json")
        return try OpenAPIDocument(Array(Data(contentsOf: url)))
    }

    /// The paths of all `GET` that require credentials; a new route is among them, or the description is incomplete.
    private static let paths: [String] = {
        guard let document = try? document() else { return [] }
        return document.operations.filter { $0.hasPrefix("GET ") }.map { String($0.dropFirst(4)) }.filter { path in
            let security = document.operation("GET", path)?["security"] as? [Any]
            return security?.isEmpty != true && !others.contains(path)
        }.sorted()
    }()

    @Test("there are reading requests")
    func some() {
        #expect(Self.paths.count >= 23)
    }

    @Test("each takes from one announced budget, then is 429 with Retry-After, for operators too", arguments: paths)
    func charged(path: String) async throws {
        var limits = Limits()
        // Different bursts tell which budget it is.
        limits.lists = Budget(perSecond: 1, burst: 3)
        limits.history = Budget(perSecond: 1, burst: 4)
        limits.searches = Budget(perSecond: 1, burst: 5)
        limits.files = Budget(perSecond: 1, burst: 6)
        let chosen = limits
        try await RESTFixture.run { options in
            options.settings.admins = ["root"]
            options.limits = chosen
            options.uptime = { 0 }
        } _: { fixture in
            let root = try await AdminFixture(rest: fixture).root()
            let thread = try await root.join("Room")
            let values = [
                "/v1/users/{id}": root.user.id.text, "/v1/attachments/{id}": String(repeating: "0", count: 32),
                "/v1/admin/users/{user}": root.user.id.text, "/v1/admin/messages/{id}/trace": "none",
            ]
            let real = path.replacing(/\{[a-z]+\}/, with: values[path] ?? thread.text)
            var granted = 0
            var last: Reply?
            while granted < 10 {
                let reply = try await root.get("\(real)?q=hi&id=\(thread)")
                last = reply
                if reply.status == 429 { break }
                #expect(reply.status < 500, "\(reply.text)")
                granted += 1
            }
            #expect(granted == chosen.budget(of: Self.budget(of: path)).burst)
            #expect(last?.status == 429)
            #expect(last?.header("Retry-After") == "1")
            let responses = try Self.document().operation("GET", path)?["responses"] as? [String: Any]
            #expect(responses?["429"] != nil, "429 is not described")
            // Another user is not affected.
            let bob = try await fixture.sessionUser("bob")
            #expect(try await bob.get("/v1/me").status == 200)
        }
    }

    /// The budget that docs/PROTOCOL.md announces.
    private static func budget(of path: String) -> BudgetKind {
        switch path {
        case "/v1/search", "/v1/me/export": .searches
        case "/v1/attachments/{id}": .files
        case "/v1/threads/{id}/messages", "/v1/threads/{id}/events", "/messaging/load-messages": .history
        default: .lists
        }
    }

    @Test(
        "the numbers in PROTOCOL.md are those that hold",
        arguments: [
            (BudgetKind.history, "history"), (.lists, "lists"), (.searches, "searches"), (.files, "files"),
        ])
    func documented(kind: BudgetKind, name: String) throws {
        let text = try String(contentsOf: Repository.url("docs/PROTOCOL.md"), encoding: .utf8)
        let row = try #require(
            text.split(separator: "\n").first { $0.hasPrefix("| `\(name)` |") && $0.hasSuffix("node |") })
        let budget = Limits().budget(of: kind)
        #expect(row.hasSuffix("| \(budget.perSecond) | \(budget.burst) | each node |"))
        if let most = Limits().atOnce(of: kind) {
            #expect(text.contains("\(most) `\(name)` (`\(name)_at_once`)"))
        }
    }

    @Test(
        "a user has as many searches and exports in progress as announced; one more is 429 until one has ended",
        arguments: ["/v1/search?q=hi", "/v1/me/export"])
    func atOnce(path: String) async throws {
        let gate = GateBox()
        try await RESTFixture.run { options in
            options.reading = { gate.make($0) }
        } _: { fixture in
            let alice = try await fixture.sessionUser("alice")
            let bob = try await fixture.sessionUser("bob")
            let store = try #require(gate.store)
            store.shut()
            let running = (0..<2).map { _ in Task { try await alice.get(path).status } }
            #expect(try await eventually { store.pages == 2 })
            for other in ["/v1/search?q=hi", "/v1/me/export"] {
                let refused = try await alice.get(other)
                #expect(refused.status == 429)
                #expect(refused.header("Retry-After") == "1")
            }
            // Lists of the same user, and searches of others, are not affected.
            #expect(try await alice.get("/v1/threads").status == 200)
            let others = Task { try await bob.get(path).status }
            #expect(try await eventually { store.pages == 3 })
            store.open()
            for task in running + [others] { #expect(try await task.value == 200) }
            for _ in 0..<3 { #expect(try await alice.get(path).status == 200) }
        }
    }
}

/// The gated store that a fixture has made.
private final class GateBox: Sendable {
    private let made = Mutex<GatedStore?>(nil)

    var store: GatedStore? { made.withLock { $0 } }

    func make(_ store: any MessageStore) -> any MessageStore {
        let gated = GatedStore(store)
        made.withLock { $0 = gated }
        return gated
    }
}
