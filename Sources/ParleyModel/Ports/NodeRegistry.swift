/// What the nodes of a cluster, gateways and persisters, know of each other; this is one node's end.
///
/// Every node says every few seconds how it is, and is forgotten when it has been silent for `NodeRegistryLimits.life`.
/// Nodes are asked by questions, which they take when they look for them; what they say is for whoever asked. Nothing
/// here is kept: a question or an answer that nobody takes is gone after `NodeRegistryLimits.questionLife`.
package protocol NodeRegistry: Sendable {
    /// This run of this node; no other one ever has the same.
    var instance: String { get }

    /// Says how this node is. What it says must be of this `instance`.
    func put(_ status: NodeStatus) async throws(SharedStoreError)

    /// This node is no more.
    func leave() async

    /// The nodes that are alive, this one too, by name; at most `NodeRegistryLimits.nodes`.
    func nodes() async throws(SharedStoreError) -> [NodeStatus]

    /// Puts a question to a node. Of those that it has not taken the newest `NodeRegistryLimits.questions` stay.
    func ask(_ request: NodeRequest, of instance: String) async throws(SharedStoreError)

    /// Takes the questions that this node is asked, in the order in which they were put.
    func requests() async throws(SharedStoreError) -> [NodeRequest]

    func reply(_ reply: NodeReply) async throws(SharedStoreError)

    /// What has been answered to a question so far.
    func replies(to request: String) async throws(SharedStoreError) -> [NodeReply]
}

/// The bounds of a `NodeRegistry`.
package enum NodeRegistryLimits {
    /// How long a node counts as alive after it was last heard of.
    package static let life = Duration.seconds(7)
    /// How long a question waits for the node, and an answer for whoever asked.
    package static let requestLife = Duration.seconds(5)
    /// Questions that wait for one node.
    package static let requests = 64
    /// Nodes that are listed, and answers to one question that are kept.
    package static let nodes = 500
}
