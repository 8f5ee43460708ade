package import ParleyModel

/// The dependencies of the admin API, in addition to `RESTServices`.
package struct AdminServices: Sendable {
    package var nodeRegistry: any NodeRegistry
    /// The status of this node.
    package var status: @Sendable () -> NodeStatus
    /// The reply of this node to a request, which needs no detour by the registry.
    package var reply: @Sendable (NodeRequest) async -> NodeReply
    /// The names in `auth.admins`; see `Operators`.
    package var admins: Set<String>
    /// The time to wait for other nodes' replies.
    package var timeout: Duration

    package init(
        nodeRegistry: any NodeRegistry, status: @escaping @Sendable () -> NodeStatus,
        reply: @escaping @Sendable (NodeRequest) async -> NodeReply, admins: Set<String> = [],
        timeout: Duration = .seconds(1)
    ) {
        self.nodeRegistry = nodeRegistry
        self.status = status
        self.reply = reply
        self.admins = admins
        self.timeout = timeout
    }
}
