/// The registry of a cluster's nodes, gateways and persisters, as seen by one node.
///
/// Every node publishes its status every few seconds and is forgotten after `NodeRegistryLimits.life` without one.
/// Operators reach nodes by requests, which each node polls. Nothing is persistent: a request or reply that no process
/// takes expires after `NodeRegistryLimits.requestLife`.
package protocol NodeRegistry: Sendable {
    /// The id of this run of this node; unique.
    var instance: String { get }

    /// Publishes this node's status, whose `instance` must be this one.
    func put(_ status: NodeStatus) async throws(SharedStoreError)

    /// Removes this node.
    func leave() async

    /// The live nodes including this one, by name; at most `NodeRegistryLimits.nodes`.
    func nodes() async throws(SharedStoreError) -> [NodeStatus]

    /// Sends a request to a node. Of untaken requests the newest `NodeRegistryLimits.requests` are kept.
    func send(_ request: NodeRequest, to instance: String) async throws(SharedStoreError)

    /// Takes the requests for this node, in order of sending.
    func requests() async throws(SharedStoreError) -> [NodeRequest]

    func reply(_ reply: NodeReply) async throws(SharedStoreError)

    /// The replies to a request so far.
    func replies(to request: String) async throws(SharedStoreError) -> [NodeReply]
}

/// The bounds of a `NodeRegistry`.
package enum NodeRegistryLimits {
    /// The time that a node counts as alive after its last status.
    package static let life = Duration.seconds(7)
    /// The time that a request waits for the node, and a reply for the requester.
    package static let requestLife = Duration.seconds(5)
    /// Maximum number of requests waiting for one node.
    package static let requests = 64
    /// Maximum number of nodes listed, and of replies kept for one request.
    package static let nodes = 500
}
