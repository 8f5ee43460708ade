import ParleyModel

/// The nodes of the cluster, with their statuses and their replies to requests.
struct Cluster: Sendable {
    /// The interval at which replies are polled.
    private static let pause = Duration.milliseconds(25)

    private let admin: AdminServices
    private let clock: WallClock

    init(_ services: RESTServices) {
        admin = services.admin
        clock = services.clock
    }

    /// Returns the live nodes, at least this one.
    /// - Returns: The nodes, and the reason that others may be missing; `nil` if none are.
    func nodes() async -> (nodes: [NodeStatus], problem: String?) {
        let own = admin.status()
        do throws(SharedStoreError) {
            var nodes = try await admin.nodeRegistry.nodes()
            if !nodes.contains(where: { $0.instance == own.instance }) { nodes.append(own) }
            return (nodes, nil)
        } catch {
            return switch error {
            case .unavailable(let reason): ([own], reason)
            }
        }
    }

    /// Sends a request to nodes concurrently.
    /// - Returns: The replies that arrived within `AdminServices.timeout`, and the nodes without a reply.
    func send(
        _ content: NodeRequest.Content, to nodes: [NodeStatus]
    ) async -> (replies: [NodeReply], silent: [NodeStatus]) {
        let nodeRequest = NodeRequest(id: UUIDv7(clock).description, content)
        let own = admin.status().instance
        var requested: Set<String> = []
        for node in nodes where node.instance != own {
            if (try? await admin.nodeRegistry.send(nodeRequest, to: node.instance)) != nil {
                requested.insert(node.instance)
            }
        }
        let deadline = ContinuousClock.now + admin.timeout
        var replies: [NodeReply] = []
        if nodes.contains(where: { $0.instance == own }) { replies.append(await admin.reply(nodeRequest)) }
        var others: [NodeReply] = []
        while others.count < requested.count {
            others = (try? await admin.nodeRegistry.replies(to: nodeRequest.id)) ?? others
            guard others.count < requested.count, ContinuousClock.now < deadline,
                (try? await Task.sleep(for: Self.pause)) != nil
            else { break }
        }
        replies += others
        let responders = Set(replies.map(\.instance))
        return (replies, nodes.filter { !responders.contains($0.instance) })
    }
}

extension NodeStatus {
    /// Whether clients can connect to the node.
    var hasSockets: Bool { role != "persister" }
}
