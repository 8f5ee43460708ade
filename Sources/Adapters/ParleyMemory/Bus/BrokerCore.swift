package import ParleyModel

/// The subscriptions and mailboxes of a bus within one process, as a value; owned by `MemoryBroker`.
package struct BrokerCore: Sendable {
    private struct Node {
        var mailbox: Mailbox
        var topics: Set<BusTopic> = []
    }

    private let mailboxLimit: Int
    private var nodes: [Int: Node] = [:]
    private var subscribers: [BusTopic: [Int]] = [:]
    private var lastNode = 0

    /// - Parameter mailboxLimit: the maximum number of signals pending for one node; see `Mailbox`.
    package init(mailboxLimit: Int) {
        self.mailboxLimit = mailboxLimit
    }

    /// Adds a node.
    /// - Returns: the number of the new node.
    package mutating func addNode() -> Int {
        lastNode += 1
        nodes[lastNode] = Node(mailbox: Mailbox(limit: mailboxLimit))
        return lastNode
    }

    /// Removes a node and its subscriptions.
    package mutating func removeNode(_ node: Int) {
        unsubscribe(node, from: nodes[node].map { Array($0.topics) } ?? [])
        nodes[node] = nil
    }

    package mutating func subscribe(_ node: Int, to topics: [BusTopic]) {
        for topic in topics where nodes[node]?.topics.insert(topic).inserted == true {
            subscribers[topic, default: []].append(node)
        }
    }

    package mutating func unsubscribe(_ node: Int, from topics: [BusTopic]) {
        for topic in topics where nodes[node]?.topics.remove(topic) != nil {
            subscribers[topic]?.removeAll { $0 == node }
            if subscribers[topic]?.isEmpty == true { subscribers[topic] = nil }
        }
    }

    /// Puts a signal into the mailboxes of a topic's subscribers.
    /// - Returns: the nodes whose mailbox the caller must drain now; see `take`.
    package mutating func publish(_ signal: BusSignal, to topic: BusTopic) -> [Int] {
        guard let subscribers = subscribers[topic] else { return [] }
        return subscribers.filter { nodes[$0]?.mailbox.append(signal) ?? false }
    }

    /// The pending signals of a node. `nil` if its mailbox is empty; the caller then stops draining it.
    package mutating func take(_ node: Int) -> [BusSignal]? {
        nodes[node]?.mailbox.take()
    }
}
