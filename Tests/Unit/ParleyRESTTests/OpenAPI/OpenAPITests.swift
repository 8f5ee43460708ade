import Foundation
import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyMemory
import ParleyModel
import ParleyREST
import ParleyTestSupport
import Testing

@Suite("OpenAPI description")
struct OpenAPITests {
    private static let source = Repository.url("Sources/CWebClient/files")

    private static func document() throws -> OpenAPIDocument {
        try OpenAPIDocument(Array(Data(contentsOf: source.appending(path: "docs/openapi.json"))))
    }

    @Test("is served")
    func served() async throws {
        try await RESTFixture.run { fixture in
            let reply = try await fixture.send(.get, "/openapi.json")
            #expect(reply.status == 200)
            #expect(reply.header("Content-Type") == "application/json")
            #expect((reply.object["openapi"] as? String)?.hasPrefix("3.1.") == true)
            #expect(try OpenAPIDocument(reply.body).operations == Self.document().operations)
        }
    }

    @Test("has every route and no other, without the web client's files")
    func routes() async throws {
        let files = try FileManager.default.subpathsOfDirectory(atPath: Self.source.path)
        let documents = files.filter { $0.hasSuffix(".md") }.compactMap {
            $0.split(separator: "/").last.map(String.init)
        }
        // Any module of the app may be a script that the page loads later.
        let scripts = files.filter { $0.hasPrefix("app/") && $0.hasSuffix(".js") }.map { "\($0.dropLast(3)).bundle.js" }
        let pages = Set(
            (files + documents + scripts).map { "/\($0)" } + ["/", "/console", "/docs", "/serviceWorker.js"]
                + ["bundle.css", "bundle.js", "logo"].map { "/app/\($0)" })
        try await RESTFixture.run { fixture in
            let routes = makeRouter(fixture.services).routes.compactMap { route -> String? in
                let path = "/" + route.path.description.split(separator: "/").joined(separator: "/")
                // HEAD exists wherever GET does.
                return pages.contains(path) || route.method == .head ? nil : "\(route.method.rawValue) \(path)"
            }
            let described = try Self.document().operations
            #expect(Set(routes).subtracting(described) == [], "not described")
            #expect(described.subtracting(routes) == [], "not there")
        }
    }

    @Test("follows the rules of OpenAPI 3.1, and has no unused component")
    func valid() throws {
        let document = try Self.document()
        let rules = OpenAPIRules(document)
        #expect(rules.violations.isEmpty)
        for kind in ["schemas", "parameters", "responses"] {
            let components = (document.root["components"] as? OpenAPIDocument.Object)?[kind] as? OpenAPIDocument.Object
            for name in try #require(components).keys {
                #expect(rules.references.contains("#/components/\(kind)/\(name)"), "\(kind)/\(name)")
            }
        }
    }

    @Test(
        "would violate the rules with any of these changes",
        arguments: [
            ("\"openapi\": \"3.1.0\"", "\"openapi\": \"3.0.0\""), ("\"info\"", "\"infos\""),
            ("\"/v1/me\": {", "\"v1/me\": {"), ("\"operationId\": \"getMe\"", "\"operationId\": \"getUser\""),
            ("\"tags\": [\"ops\"]", "\"tags\": [\"opps\"]"),
            ("#/components/schemas/User\"", "#/components/schemas/Usr\""),
            ("\"in\": \"path\"", "\"in\": \"query\""), ("\"required\": true", "\"required\": false"),
            ("\"type\": \"integer\"", "\"type\": \"int\""), ("\"responses\": {", "\"answers\": {"),
            ("\"summary\": \"Shows the current user.\"", "\"summary\": \"\""), ("\"200\": {", "\"20\": {"),
            ("{\"cookie\": []}", "{\"biscuit\": []}"), ("/v1/users/{id}", "/v1/users/{user}"),
            ("\"items\": {", "\"item\": {"), ("\"scheme\": \"basic\"", "\"schema\": \"basic\""),
            ("#/components/responses/Unavailable", "#/components/schemas/User"),
        ])
    func invalid(text: String, change: String) throws {
        let source = try String(contentsOf: Self.source.appending(path: "docs/openapi.json"), encoding: .utf8)
        #expect(source.contains(text))
        let document = try OpenAPIDocument(Array(source.replacing(text, with: change).utf8))
        #expect(!OpenAPIRules(document).violations.isEmpty)
    }

    @Test("matches the real responses")
    func responses() async throws {
        let key = "pk_0123456789abcdef0123456789abcdef"
        try await RESTFixture.run({ $0.settings.apiKeys = try APIKeys(parsing: "backend:\(key)") }) { fixture in
            let alice = try await fixture.sessionUser("alice")
            let bob = try await fixture.sessionUser("bob")
            let thread = try await alice.join("Room")
            _ = try await bob.join("Room")
            _ = try await bob.join("Silence")
            try await fixture.say("hi", by: alice.user, in: thread, clientID: "c")
            try await fixture.say(
                "psst", by: alice.user, in: ThreadInfo.directID(alice.user.id, bob.user.id), to: bob.user)
            let id = try #require(try await bob.send("say", in: thread).object["id"] as? String)
            _ = try await alice.call(.put, "/v1/threads/\(thread)/messages/\(id)/reactions/x")
            _ = try await bob.call(.patch, "/v1/threads/\(thread)/messages/\(id)", #"{"text":"edited"}"#)
            let gone = try #require(try await bob.send("gone", in: thread).object["id"] as? String)
            _ = try await bob.call(.delete, "/v1/threads/\(thread)/messages/\(gone)")
            let parts = #"{"parts":[{"type":"image/png","url":"https://example.org/a.png"}],"reply_to":1}"#
            _ = try await bob.call(.post, "/v1/threads/\(thread)/messages", parts)
            _ = try await alice.call(.patch, "/v1/threads/\(thread)", #"{"title":"New"}"#)
            _ = try await alice.call(
                .post, "/v1/threads/\(thread)/members", #"{"user":"bob","role":"moderator"}"#)
            try await fixture.persist()
            let (room, message) = ("/v1/threads/\(thread)", "/v1/threads/\(thread)/messages/\(id)")
            let declared = try await bob.call(
                .post, "/v1/attachments", #"{"name":"a.png","size":9,"type":"image/png"}"#)
            let upload = try #require(declared.header("Location"))
            let service = [("Authorization", "Bearer \(key)")]
            let form = [("Content-Type", "application/x-www-form-urlencoded")]
            let lines = #"{"user":{"id":1,"username":"ann"}}"# + "\n?\n"
            let calls: [(String, String, String, Int, [(String, String)], String)] = [
                ("POST", "/auth/signup", "/auth/signup", 200, form, "username=carl&password=long+enough"),
                ("POST", "/auth/signup", "/auth/signup", 403, form, "username=carl&password=long+enough"),
                ("POST", "/auth/login", "/auth/login", 200, form, "username=carl&password=long+enough"),
                ("POST", "/auth/login", "/auth/login", 401, form, "username=carl&password=wrong"),
                ("POST", "/auth/login", "/auth/login", 400, form, "username=carl"),
                ("GET", "/auth/logout", "/auth/logout", 200, [], ""),
                ("POST", "/auth/logout", "/auth/logout", 200, [], ""),
                ("GET", "/messaging/load-inbox", "/messaging/load-inbox", 200, [bob.cookie], ""),
                ("GET", "/messaging/load-messages", "/messaging/load-messages?id=\(thread)", 200, [bob.cookie], ""),
                ("POST", "/messaging/add-chatroom", "/messaging/add-chatroom", 200, [bob.cookie] + form, "title=x"),
                ("GET", "/v1/me", "/v1/me", 200, [bob.cookie], ""),
                ("GET", "/v1/me", "/v1/me", 401, [], ""),
                ("GET", "/v1/users/{id}", "/v1/users/\(alice.user.id)", 200, [bob.cookie], ""),
                ("GET", "/v1/users/{id}", "/v1/users/nobody", 404, [bob.cookie], ""),
                ("POST", "/v1/tickets", "/v1/tickets", 201, [bob.cookie], ""),
                ("GET", "/v1/threads", "/v1/threads", 200, [bob.cookie], ""),
                ("GET", "/v1/threads", "/v1/threads?limit=1", 200, [bob.cookie], ""),
                ("GET", "/v1/threads/{id}/messages", "/v1/threads/\(thread)/messages", 200, [bob.cookie], ""),
                ("GET", "/v1/threads/{id}/messages", "/v1/threads/\(thread)/messages?limit=0", 400, [bob.cookie], ""),
                ("GET", "/v1/threads/{id}/events", "/v1/threads/\(thread)/events", 200, [bob.cookie], ""),
                ("PATCH", "/v1/me", "/v1/me", 200, [bob.cookie] + form, "display_name=Bob"),
                ("GET", "/v1/me/sessions", "/v1/me/sessions", 200, [bob.cookie], ""),
                ("GET", "/v1/me/sessions", "/v1/me/sessions?cursor=x", 400, [bob.cookie], ""),
                ("DELETE", "/v1/me/sessions/{session}", "/v1/me/sessions/none", 404, [bob.cookie], ""),
                ("GET", "/v1/users", "/v1/users?prefix=a", 200, [bob.cookie], ""),
                ("POST", "/v1/threads", "/v1/threads", 201, [bob.cookie] + form, "title=Another"),
                ("POST", "/v1/threads", "/v1/threads", 200, [bob.cookie] + form, "title=Another"),
                ("GET", "/v1/threads/joinable", "/v1/threads/joinable", 200, [alice.cookie], ""),
                ("GET", "/v1/threads/{id}", room, 200, [bob.cookie], ""),
                ("GET", "/v1/threads/{id}", room, 200, service, ""),
                ("PATCH", "/v1/threads/{id}", room, 200, [alice.cookie] + form, "title=Newer"),
                ("PATCH", "/v1/threads/{id}", room, 409, [alice.cookie] + form, "title=Another"),
                ("GET", "/v1/threads/{id}/members", "\(room)/members?limit=1", 200, [alice.cookie], ""),
                ("POST", "/v1/threads/{id}/members", "\(room)/members", 201, [alice.cookie] + form, "user=carl"),
                ("POST", "/v1/threads/{id}/members", "\(room)/members", 200, [alice.cookie] + form, "user=carl"),
                ("POST", "/v1/threads/{id}/messages", "\(room)/messages", 201, [bob.cookie] + form, "text=x"),
                ("PATCH", "/v1/threads/{id}/messages/{mid}", message, 200, [bob.cookie] + form, "text=y"),
                (
                    "PUT", "/v1/threads/{id}/messages/{mid}/reactions/{emoji}", "\(message)/reactions/z", 200,
                    [bob.cookie], ""
                ),
                ("PUT", "/v1/threads/{id}/read", "\(room)/read", 200, [bob.cookie] + form, "seq=1"),
                ("POST", "/v1/direct", "/v1/direct", 201, [bob.cookie] + form, "user=carl"),
                ("GET", "/v1/search", "/v1/search?q=edited", 200, [bob.cookie], ""),
                ("GET", "/v1/attachments", "/v1/attachments", 200, [bob.cookie], ""),
                ("POST", "/v1/attachments", "/v1/attachments?name=a", 201, [bob.cookie], "bytes"),
                ("POST", "/v1/attachments", "/v1/attachments", 201, [bob.cookie] + form, "name=a&size=2"),
                ("POST", "/v1/attachments", "/v1/attachments?name=a", 400, [bob.cookie], ""),
                ("PATCH", "/v1/attachments/{id}", upload, 400, [bob.cookie], "b"),
                ("PATCH", "/v1/attachments/{id}", upload, 200, [bob.cookie, ("Upload-Offset", "0")], "b"),
                ("PATCH", "/v1/attachments/{id}", upload, 409, [bob.cookie, ("Upload-Offset", "0")], "b"),
                ("GET", "/v1/attachments/{id}", upload, 409, [bob.cookie], ""),
                ("DELETE", "/v1/attachments/{id}", "/v1/attachments/none", 404, [bob.cookie], ""),
                ("POST", "/v1/admin/import", "/v1/admin/import", 200, service, lines),
                ("POST", "/v1/admin/import", "/v1/admin/import", 403, [bob.cookie], lines),
                ("GET", "/v1/admin/events", "/v1/admin/events?after=x", 400, service, ""),
                ("GET", "/v1/admin/events", "/v1/admin/events?user=ghost", 404, service, ""),
                ("GET", "/v1/admin/events", "/v1/admin/events?after=01000100", 409, service, ""),
                ("GET", "/v1/admin/event-groups", "/v1/admin/event-groups", 200, service, ""),
                (
                    "POST", "/v1/admin/webhooks", "/v1/admin/webhooks", 201,
                    service + [("Content-Type", "application/json")],
                    #"{"url":"https://shop.example/","after":"start","enabled":false}"#
                ),
                ("GET", "/v1/admin/webhooks", "/v1/admin/webhooks", 200, service, ""),
                ("GET", "/v1/admin/nodes", "/v1/admin/nodes", 200, service, ""),
                ("GET", "/v1/admin/nodes", "/v1/admin/nodes", 403, [bob.cookie], ""),
                ("GET", "/v1/admin/overview", "/v1/admin/overview", 200, service, ""),
                ("GET", "/v1/admin/search", "/v1/admin/search?q=a", 200, service, ""),
                ("POST", "/v1/admin/users", "/v1/admin/users", 201, service + form, "username=dora"),
                ("POST", "/v1/admin/users", "/v1/admin/users", 409, service + form, "username=dora"),
                ("GET", "/v1/admin/users/{user}", "/v1/admin/users/bob", 200, service, ""),
                ("POST", "/v1/admin/threads", "/v1/admin/threads", 201, service + form, "title=Made"),
                ("GET", "/v1/admin/threads/top", "/v1/admin/threads/top", 200, service, ""),
                ("GET", "/v1/admin/threads/{id}", "/v1/admin\(room.dropFirst(3))", 200, service, ""),
                (
                    "POST", "/v1/admin/threads/{id}/members", "/v1/admin\(room.dropFirst(3))/members", 201,
                    service + form, "user=dora"
                ),
                ("GET", "/v1/admin/users/{user}/sessions", "/v1/admin/users/bob/sessions", 200, service, ""),
                (
                    "GET", "/v1/admin/users/{user}/sessions", "/v1/admin/users/bob/sessions?cursor=x", 400, service, ""
                ),
                ("DELETE", "/v1/admin/users/{user}/sessions", "/v1/admin/users/dora/sessions", 200, service, ""),
                (
                    "DELETE", "/v1/admin/users/{user}/sessions/{session}", "/v1/admin/users/bob/sessions/none", 404,
                    service, ""
                ),
                (
                    "POST", "/v1/admin/users/{user}/revoke-sessions", "/v1/admin/users/dora/revoke-sessions", 200,
                    service, ""
                ),
                (
                    "PUT", "/v1/admin/users/{user}/password", "/v1/admin/users/nobody/password", 404,
                    service + form, "password=long+enough"
                ),
                ("POST", "/v1/admin/nodes/{node}/drain", "/v1/admin/nodes/own/drain", 202, service, ""),
                ("GET", "/v1/socket", "/v1/socket", 426, [], ""),
                ("GET", "/healthz", "/healthz", 200, [], ""), ("GET", "/readyz", "/readyz", 200, [], ""),
                ("GET", "/readyz/sockets", "/readyz/sockets", 200, [], ""),
                ("GET", "/readyz/rest", "/readyz/rest", 200, [], ""),
            ]
            try await fixture.nodeRegistry.put(Self.someNode)
            let document = try Self.document()
            for (method, path, target, status, headers, body) in calls {
                let reply = try await fixture.send(
                    try #require(HTTPRequest.Method(method)), target, headers: headers, body: Array(body.utf8))
                #expect(reply.status == status, "\(method) \(target): \(reply.text)")
                let operation = try #require(document.operation(method, path))
                let schema = try #require(document.response(operation, status: status), "\(method) \(path) \(status)")
                let violations = SchemaCheck(document: document).violations(reply.object, schema)
                #expect(violations.isEmpty, "\(method) \(target)")
            }
        }
    }

    /// Another node, with every field set.
    private static var someNode: NodeStatus {
        var node = NodeStatus(
            instance: "other", name: "other", role: "persister", version: "1.2.3", started: 1, date: 2)
        node.redis = LinkStatus(problem: nil, milliseconds: 0.5)
        node.database = LinkStatus(problem: "away", milliseconds: 1000)
        node.persister = PersisterStatus(partitions: 64, lagEvents: 1, lagSeconds: 0.5)
        node.pushes = [.apns: [.delivered: 1], .fcm: [:], .web: [.misconfigured: 2]]
        node.busiest = [ThreadRate(thread: ThreadID(trusted: "t"), eventsPerSecond: 1)]
        return node
    }
}
