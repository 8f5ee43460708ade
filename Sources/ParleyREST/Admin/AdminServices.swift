package import ParleyModel

/// What operators work with besides everybody else's services.
package struct AdminServices: Sendable {
    package var nodeRegistry: any NodeRegistry
    /// How this node is.
    package var status: @Sendable () -> NodeStatus
    /// What this node says to a question; it does not need to ask itself by way of the board.
    package var reply: @Sendable (NodeRequest) async -> NodeReply
    /// The names in `auth.admins`; see `Operators`.
    package var admins: Set<String>
    /// How long nodes may take to answer.
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
