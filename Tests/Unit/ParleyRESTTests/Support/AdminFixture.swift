import HTTPTypes
import ParleyAccounts
import ParleyMemory
import ParleyModel
import ParleyREST
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Testing

/// A fixture with an API key, and `root` as an operator.
struct AdminFixture: Sendable {
    static let key = "pk_0123456789abcdef0123456789abcdef"
    private static let service = [("Authorization", "Bearer \(key)")]

    let rest: RESTFixture

    /// - Parameters:
    ///   - timeout: how long nodes may take to reply; short if one is to be silent.
    ///   - response: the reply of this node to a request.
    static func run(
        timeout: Duration = .seconds(5), response: (@Sendable (NodeRequest, String) -> NodeReply)? = nil,
        _ test: (AdminFixture) async throws -> Void
    ) async throws {
        try await RESTFixture.run { options in
            options.settings.apiKeys = try APIKeys(parsing: "backend:\(key)")
            options.settings.admins = ["root"]
            options.timeout = timeout
            if let response { options.reply = response }
        } _: { fixture in
            try await test(AdminFixture(rest: fixture))
        }
    }

    /// The status of another node.
    func status(_ name: String, _ role: String, instance: String) -> NodeStatus {
        NodeStatus(instance: instance, name: name, role: role, version: "1.2.3", started: 1, date: 2)
    }

    /// The operator, who is created in the store and logs in over REST.
    func root() async throws -> SessionUser {
        let user = User(id: UserID(trusted: "root-id"), name: "root")
        let hash = try await rest.services.auth.login.hash("correct horse")
        try await rest.store.createUser(user, passwordHash: hash)
        let login = try await rest.post("/auth/login", form: ["username": "root", "password": "correct horse"])
        return SessionUser(fixture: rest, user: user, session: try #require(login.session, "\(login.text)"))
    }

    /// The first request to a node.
    func requests(to nodeRegistry: MemoryNodeRegistry) async throws -> NodeRequest {
        var request: NodeRequest?
        let isAsked = try await eventually {
            request = try await nodeRegistry.requests().first
            return request != nil
        }
        try #require(isAsked, "the node was not asked")
        return try #require(request)
    }

    // MARK: By API key

    func get(_ path: String) async throws -> Reply {
        try await rest.send(.get, path, headers: Self.service)
    }

    func delete(_ path: String) async throws -> Reply {
        try await rest.send(.delete, path, headers: Self.service)
    }

    func post(_ path: String, _ json: String = "{}") async throws -> Reply {
        try await rest.post(path, json: json, headers: Self.service)
    }
}
