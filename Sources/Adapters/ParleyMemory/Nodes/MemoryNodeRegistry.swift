package import ParleyModel

/// The node registry of one node, sharing a `MemoryNodes`.
package final class MemoryNodeRegistry: NodeRegistry {
    private let shared: MemoryNodes
    package let instance: String

    init(_ shared: MemoryNodes, instance: String) {
        self.shared = shared
        self.instance = instance
    }

    package func put(_ status: NodeStatus) async throws(SharedStoreError) {
        shared.put(status)
    }

    package func leave() async {
        shared.remove(instance)
    }

    package func nodes() async throws(SharedStoreError) -> [NodeStatus] {
        shared.nodes()
    }

    package func send(_ request: NodeRequest, to instance: String) async throws(SharedStoreError) {
        shared.send(request, to: instance)
    }

    package func requests() async throws(SharedStoreError) -> [NodeRequest] {
        shared.requests(to: instance)
    }

    package func reply(_ reply: NodeReply) async throws(SharedStoreError) {
        shared.reply(reply)
    }

    package func replies(to request: String) async throws(SharedStoreError) -> [NodeReply] {
        shared.replies(to: request)
    }
}
