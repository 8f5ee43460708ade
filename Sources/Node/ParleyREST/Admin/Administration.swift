import Logging
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// Changes by operators that affect nodes.
struct Administration: Sendable {
    private let services: RESTServices
    private let cluster: Cluster

    init(_ services: RESTServices, _ cluster: Cluster) {
        self.services = services
        self.cluster = cluster
    }

    /// Ends all sessions of a user, and closes their sockets with code 4001, whatever their credentials.
    func endSessions(of user: User, by requester: Operator) async throws -> JSONTree {
        // The store comes first, so that a disconnected user cannot reconnect with the same cookie.
        let count = try await services.messaging.revokeSessions(of: user, by: requester)
        let nodes = await cluster.nodes().nodes.filter(\.hasSockets)
        let (_, silent) = await cluster.send(.closeSockets(user.id), to: nodes)
        return .ordered([
            ("sessions", .integer(Int64(count))), ("silent_nodes", .array(silent.map { .text($0.name) })),
        ])
    }

    /// Drains a node as SIGTERM does.
    /// - Parameter text: The node's name or instance.
    func drain(_ text: String) async throws -> JSONTree {
        let (nodes, problem) = await cluster.nodes()
        let meant = nodes.filter { $0.instance == text || $0.name == text }
        guard let node = meant.first else {
            if let problem {
                var error = APIError(.unavailable, "the nodes cannot be listed at the moment")
                error.detail = problem
                throw error
            }
            throw APIError(.notFound, "no such node")
        }
        guard meant.count == 1 else {
            let instances = meant.map(\.instance).joined(separator: ", ")
            throw APIError(.conflict, "several nodes have this name; specify one of the instances \(instances)")
        }
        guard await cluster.send(.drain, to: [node]).silent.isEmpty else {
            throw APIError(.unavailable, "the node has not answered in time")
        }
        return .ordered([("node", .text(node.name)), ("instance", .text(node.instance)), ("draining", .bool(true))])
    }
}
