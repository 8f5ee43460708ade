import ParleyChannels
import ParleyJSON
package import ParleyModel
import ParleyRedisClient

/// The node registry on Redis: a status per node under a key that expires when the node is silent, and two kinds of
/// short lists, requests to a node and replies to a request; all on one host.
///
/// Values are JSON, neither encrypted nor read by Django. Values that cannot be decoded, since a node runs another
/// version, are skipped.
package final class RedisNodeRegistry: NodeRegistry {
    private let hosts: RedisHosts
    private let life: Duration
    private let timeout: Duration
    package let instance: String

    /// - Parameters:
    ///   - life: how long a node counts as alive after its last status.
    ///   - timeout: the maximum time for a reply of Redis.
    package init(hosts: RedisHosts, life: Duration = NodeRegistryLimits.life, timeout: Duration = .seconds(1)) {
        self.hosts = hosts
        self.life = life
        self.timeout = timeout
        var generator = SystemRandomNumberGenerator()
        instance = Epoch.make(using: &generator).text + Epoch.make(using: &generator).text
    }

    package func put(_ status: NodeStatus) async throws(SharedStoreError) {
        try await put(status.tree.canonical, for: life)
    }

    package func leave() async {
        try? await put("", for: .zero)
    }

    private func put(_ text: String, for life: Duration) async throws(SharedStoreError) {
        var command = RedisScripts.nodePut.command(
            keys: [names.nodes, names.status(of: instance)], arguments: 3, capacity: 256 + text.utf8.count)
        command.append(instance)
        command.append(text)
        command.append(Int64(life / .milliseconds(1)))
        _ = try await send(command)
    }

    package func nodes() async throws(SharedStoreError) -> [NodeStatus] {
        var command = RedisScripts.nodeList.command(keys: [names.nodes], arguments: 1)
        command.append(NodeRegistryLimits.nodes)
        let instances = try await send(command).elements?.compactMap(\.text) ?? []
        guard !instances.isEmpty else { return [] }
        let statuses = try await send(RESPCommand(["MGET"] + instances.map(names.status(of:)))).elements ?? []
        return statuses.compactMap { Self.tree($0).flatMap { NodeStatus($0) } }
            .sorted { ($0.name, $0.instance) < ($1.name, $1.instance) }
    }

    package func send(_ request: NodeRequest, to instance: String) async throws(SharedStoreError) {
        try await post(request.tree, to: names.requests(to: instance), atMost: NodeRegistryLimits.requests)
    }

    package func requests() async throws(SharedStoreError) -> [NodeRequest] {
        let command = RedisScripts.nodeTake.command(keys: [names.requests(to: instance)], arguments: 0)
        return try await send(command).elements?.compactMap { Self.tree($0).flatMap { NodeRequest($0) } } ?? []
    }

    package func reply(_ reply: NodeReply) async throws(SharedStoreError) {
        try await post(reply.tree, to: names.replies(to: reply.request), atMost: NodeRegistryLimits.nodes)
    }

    package func replies(to request: String) async throws(SharedStoreError) -> [NodeReply] {
        let command = RESPCommand("LRANGE", names.replies(to: request), "0", "-1")
        return try await send(command).elements?.compactMap { Self.tree($0).flatMap { NodeReply($0) } } ?? []
    }

    // MARK: Redis

    private var names: ChannelNames { hosts.layout.names }

    private func post(_ tree: JSONTree, to key: String, atMost limit: Int) async throws(SharedStoreError) {
        let text = tree.canonical
        var command = RedisScripts.nodePost.command(keys: [key], arguments: 3, capacity: 256 + text.utf8.count)
        command.append(text)
        command.append(limit)
        command.append(Int64(NodeRegistryLimits.requestLife / .milliseconds(1)))
        _ = try await send(command)
    }

    private func send(_ command: RESPCommand) async throws(SharedStoreError) -> RESPValue {
        do {
            return try await hosts.commands[hosts.layout.ring.host(of: names.nodes)].send(command, within: timeout)
        } catch {
            throw .unavailable("\(error)")
        }
    }

    private static func tree(_ value: RESPValue) -> JSONTree? {
        value.bytes.flatMap { try? JSONTree(parsing: $0) }
    }
}
