package import ParleyModel

/// The dependencies of the admin API, in addition to `RESTServices`.
package struct AdminServices: Sendable {
    package var nodeRegistry: any NodeRegistry
    /// Returns the status of this node.
    package var status: @Sendable () -> NodeStatus
    /// Returns this node's reply to a request, without a detour through the registry.
    package var reply: @Sendable (NodeRequest) async -> NodeReply
    /// The names in `auth.admins`; see `Operators`.
    package var admins: Set<String>
    /// The maximum wait for other nodes' replies.
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
