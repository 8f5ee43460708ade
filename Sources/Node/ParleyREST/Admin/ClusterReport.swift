import ParleyJSON
import ParleyModel

/// The combined status of all nodes, in the format of the API's responses.
struct ClusterReport: Sendable {
    let nodes: [NodeStatus]
    /// The reason that nodes may be missing; `nil` if none are.
    let problem: String?

    init(_ state: (nodes: [NodeStatus], problem: String?)) {
        nodes = state.nodes
        problem = state.problem
    }

    /// The nodes without their busiest threads, which have a list of their own.
    var nodeList: JSONTree {
        .array(
            nodes.map { node in
                guard case .members(let members) = node.tree else { return .null }
                return .members(members.filter { $0.key != "busiest" })
            })
    }

    /// Whether all nodes could be listed.
    var nodeRegistry: JSONTree {
        .ordered(
            [("state", .text(problem == nil ? "up" : "unavailable"))] + (problem.map { [("reason", .text($0))] } ?? []))
    }

    var totals: JSONTree {
        .ordered([
            ("nodes", .integer(Int64(nodes.count))), ("sockets", sum(\.sockets)), ("line_sockets", sum(\.lines)),
            ("connections", sum(\.connections)), ("users", sum(\.users)),
            ("messages_in_per_second", sum(\.messagesIn)), ("deliveries_per_second", sum(\.deliveries)),
            ("stored_per_second", sum(\.stored)), ("cpu", sum(\.cpu)),
            ("resident_bytes", .integer(nodes.reduce(0) { $0 + $1.residentBytes })),
        ])
    }

    /// The backlog of the store. `partitions` is the number of partitions that a process owns.
    var persist: JSONTree {
        let all = nodes.compactMap(\.persister)
        return PersisterStatus(
            partitions: all.reduce(0) { $0 + $1.partitions }, lagEvents: all.reduce(0) { $0 + $1.lagEvents },
            lagSeconds: all.map(\.lagSeconds).max() ?? 0
        ).tree
    }

    /// The nodes' connections to Redis or the database: the slowest response, and the nodes without a connection.
    func link(_ link: KeyPath<NodeStatus, LinkStatus?>) -> JSONTree {
        let links = nodes.compactMap { node in node[keyPath: link].map { (node: node.name, status: $0) } }
        let unavailable = links.filter { $0.status.problem != nil }
        let state =
            links.isEmpty
            ? "none" : unavailable.isEmpty ? "up" : unavailable.count < links.count ? "partly" : "unavailable"
        let latency = links.filter { $0.status.problem == nil }.map(\.status.milliseconds).max()
        return .ordered([
            ("state", .text(state)),
            ("latency_ms", latency.map { .rounded($0) } ?? .null),
            ("unavailable_on", .array(unavailable.map { .text($0.node) })),
            ("reason", unavailable.first.flatMap(\.status.problem).map { .text($0) } ?? .null),
        ])
    }

    /// The threads with the highest event rates. Every node with members of a thread receives all of its events, so the rate is
    /// the maximum over the nodes.
    func busiest(limit: Int) -> [(rate: ThreadRate, nodes: [String])] {
        var threads: [ThreadID: (rate: Double, nodes: [String])] = [:]
        for node in nodes {
            for rate in node.busiest {
                var entry = threads[rate.thread] ?? (0, [])
                entry.rate = max(entry.rate, rate.eventsPerSecond)
                entry.nodes.append(node.name)
                threads[rate.thread] = entry
            }
        }
        return threads.sorted { ($1.value.rate, $0.key.text) < ($0.value.rate, $1.key.text) }.prefix(limit)
            .map { (ThreadRate(thread: $0.key, eventsPerSecond: $0.value.rate), $0.value.nodes) }
    }

    private func sum(_ value: KeyPath<NodeStatus, Int>) -> JSONTree {
        .integer(nodes.reduce(0) { $0 + Int64($1[keyPath: value]) })
    }

    private func sum(_ value: KeyPath<NodeStatus, Double>) -> JSONTree {
        .rounded(nodes.reduce(0) { $0 + $1[keyPath: value] })
    }
}
