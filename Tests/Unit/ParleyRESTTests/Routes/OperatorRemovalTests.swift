import HTTPTypes
import ParleyMemory
import ParleyModel
import ParleyTestSupport
import Testing

@Suite("Removals, rights and load by operators")
struct OperatorRemovalTests {
    @Test("a user becomes an operator and is none again; operators keep their own rights")
    func operators() async throws {
        try await AdminFixture.run { fixture in
            let (ann, root) = (try await fixture.rest.sessionUser("ann"), try await fixture.root())
            let path = "/v1/admin/users/ann/operator"
            #expect(try await ann.call(.put, path, "").status == 403)
            #expect(try await root.call(.put, path, "").status == 204)
            #expect(try await ann.get("/v1/admin/nodes").status == 200)
            #expect(try await fixture.get("/v1/admin/users/ann").object["is_operator"] as? Bool == true)
            #expect(try await ann.call(.delete, path, "").status == 403)
            #expect(try await root.call(.delete, path, "").status == 204)
            #expect(try await ann.get("/v1/admin/nodes").status == 403)
            #expect(try await fixture.get("/v1/admin/users/ann").object["is_operator"] as? Bool == false)
            #expect(try await root.call(.put, "/v1/admin/users/none/operator", "").code == "not_found")
        }
    }

    @Test("a user is erased, with the operator in the audit log; operators do not erase themselves")
    func erasure() async throws {
        try await AdminFixture.run { fixture in
            let (ann, root) = (try await fixture.rest.sessionUser("ann"), try await fixture.root())
            let path = "/v1/admin/users/\(ann.user.id)"
            #expect(try await ann.call(.delete, path, "").status == 403)
            #expect(try await root.call(.delete, "/v1/admin/users/root", "").code == "forbidden")
            #expect(try await root.call(.delete, path, "").status == 204)
            #expect(try await ann.get("/v1/me").status == 401)
            #expect(try await fixture.get(path).code == "not_found")
            let entries = try await fixture.get("/v1/admin/audit?action=erased").object["entries"] as? [[String: Any]]
            let entry = try #require(entries?.first)
            #expect(entry["user_id"] as? String == ann.user.id.text)
            #expect(entry["actor"] as? [String: String] == ["kind": "operator", "id": "root-id"])
        }
    }

    @Test("a room is deleted with its history, a direct thread is not")
    func rooms() async throws {
        try await AdminFixture.run { fixture in
            let (ann, root) = (try await fixture.rest.sessionUser("ann"), try await fixture.root())
            let tea = try await ann.join("Tea")
            let path = "/v1/admin/threads/\(tea)"
            #expect(try await ann.call(.delete, path, "").status == 403)
            #expect(try await root.call(.delete, path, "").status == 204)
            #expect(try await root.call(.delete, path, "").code == "not_found")
            #expect(try await ann.get("/v1/threads/\(tea)").status == 404)
        }
    }

    @Test("a message is deleted by an operator who is no member, once")
    func messages() async throws {
        try await AdminFixture.run { fixture in
            let (ann, root) = (try await fixture.rest.sessionUser("ann"), try await fixture.root())
            let tea = try await ann.join("Tea")
            try await ann.send("hi", in: tea)
            try await fixture.rest.persist()
            let page = try await ann.get("/v1/threads/\(tea)/messages").object["messages"] as? [[String: Any]]
            let message = try #require(page?.first?["id"] as? String)
            let path = "/v1/admin/threads/\(tea)/messages/\(message)"
            #expect(try await ann.call(.delete, path, "").status == 403)
            for _ in 0..<2 { #expect(try await root.call(.delete, path, "").status == 204) }
            try await fixture.rest.persist()
            #expect(try await !ann.get("/v1/threads/\(tea)/messages").text.contains("\"hi\""))
            #expect(try await root.call(.delete, "/v1/admin/threads/\(tea)/messages/none", "").code == "not_found")
        }
    }

    @Test("a suspension in force is shown with the user")
    func suspension() async throws {
        try await AdminFixture.run { fixture in
            let (ann, root) = (try await fixture.rest.sessionUser("ann"), try await fixture.root())
            #expect(try await fixture.get("/v1/admin/users/ann").text.contains(#""suspension":null"#))
            let path = "/v1/admin/users/\(ann.user.id)/suspension"
            #expect(try await root.call(.put, path, #"{"reason":"spam"}"#).status == 200)
            let shown = try await fixture.get("/v1/admin/users/ann").text
            #expect(shown.contains(#""suspension":{"until_ms":null,"reason":"spam"}"#))
        }
    }

    @Test("the load of the last hour is added up over the nodes, and silent nodes are named")
    func history() async throws {
        let response: @Sendable (NodeRequest, String) -> NodeReply = { request, instance in
            var sample = LoadSample(start: 1_790_000_000_000)
            sample.connections = request.content == .history ? 3 : 0
            return NodeReply(request: request.id, instance: instance, history: [sample])
        }
        try await AdminFixture.run(timeout: .milliseconds(50), response: response) { fixture in
            try await fixture.rest.nodeRegistry.put(fixture.status("silent", "gateway", instance: "i1"))
            let object = try await fixture.get("/v1/admin/history").object
            #expect(object["step_ms"] as? Int == 10_000)
            #expect(object["silent_nodes"] as? [String] == ["silent"])
            let samples = try #require(object["samples"] as? [[String: Any]])
            #expect(samples.map { $0["connections"] as? Int } == [3])
        }
    }
}
