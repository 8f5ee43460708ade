/// The registry of a cluster's nodes, including gateways and persisters, as seen by one node.
///
/// Every node publishes its status every few seconds, and is forgotten `NodeRegistryLimits.life` after the last one. Operators
/// send requests, which each node polls. Nothing is persistent: a request or reply that no process takes expires after
/// `NodeRegistryLimits.requestLife`.
package protocol NodeRegistry: Sendable {
    /// The unique id of this run of the node.
    var instance: String { get }

    /// Publishes this node's status. Its `instance` must be this node's.
    func put(_ status: NodeStatus) async throws(SharedStoreError)

    /// Removes this node.
    func leave() async

    /// The live nodes including this one, sorted by name; at most `NodeRegistryLimits.nodes`.
    func nodes() async throws(SharedStoreError) -> [NodeStatus]

    /// Sends a request to a node. Of the requests that the node has not taken yet, the newest `NodeRegistryLimits.requests` are kept.
    func send(_ request: NodeRequest, to instance: String) async throws(SharedStoreError)

    /// Takes the requests for this node, in the order in which they were sent.
    func requests() async throws(SharedStoreError) -> [NodeRequest]

    func reply(_ reply: NodeReply) async throws(SharedStoreError)

    /// The replies to a request that have arrived so far.
    func replies(to request: String) async throws(SharedStoreError) -> [NodeReply]
}

/// The bounds of a `NodeRegistry`.
package enum NodeRegistryLimits {
    /// The time for which a node counts as live after its last status.
    package static let life = Duration.seconds(7)
    /// The time for which a request waits for the node, and a reply for the requester.
    package static let requestLife = Duration.seconds(5)
    /// The maximum number of requests that wait for one node.
    package static let requests = 64
    /// The maximum number of nodes listed, and of replies kept for one request.
    package static let nodes = 500
}
