package import ParleyModel

/// One node's end of `MemoryNodes`.
package final class MemoryNodeBoard: NodeBoard {
    private let shared: MemoryNodes
    package let instance: String

    init(_ shared: MemoryNodes, instance: String) {
        self.shared = shared
        self.instance = instance
    }

    package func put(_ status: NodeStatus) async throws(LedgerError) {
        shared.put(status)
    }

    package func leave() async {
        shared.remove(instance)
    }

    package func nodes() async throws(LedgerError) -> [NodeStatus] {
        shared.nodes()
    }

    package func ask(_ question: NodeQuestion, of instance: String) async throws(LedgerError) {
        shared.ask(question, of: instance)
    }

    package func questions() async throws(LedgerError) -> [NodeQuestion] {
        shared.questions(to: instance)
    }

    package func answer(_ answer: NodeAnswer) async throws(LedgerError) {
        shared.answer(answer)
    }

    package func answers(to question: String) async throws(LedgerError) -> [NodeAnswer] {
        shared.answers(to: question)
    }
}
