package import ParleyModel
import Synchronization

/// What the nodes of one process know of each other: what their boards share. Owned by a lock.
package final class MemoryNodes: Sendable {
    private struct Entry {
        var status: NodeStatus
        /// Unix milliseconds.
        var expiry: Int64
    }

    private struct Waiting<Value> {
        var values: [Value] = []
        /// Unix milliseconds.
        var expiry: Int64 = 0
    }

    private struct State {
        var nodes: [String: Entry] = [:]
        var questions: [String: Waiting<NodeQuestion>] = [:]
        var answers: [String: Waiting<NodeAnswer>] = [:]
    }

    private let clock: WallClock
    private let state = Mutex(State())

    package init(clock: WallClock = .system) {
        self.clock = clock
    }

    /// A further node's board.
    package func makeBoard() -> MemoryNodeBoard {
        var generator = SystemRandomNumberGenerator()
        let instance = Epoch.make(using: &generator).text + Epoch.make(using: &generator).text
        return MemoryNodeBoard(self, instance: instance)
    }

    func put(_ status: NodeStatus) {
        let now = clock.milliseconds
        state.withLock { state in
            forget(&state, now)
            state.nodes[status.instance] = Entry(
                status: status, expiry: now + Int64(NodeBoardLimits.life / .milliseconds(1)))
        }
    }

    func remove(_ instance: String) {
        state.withLock { state in
            state.nodes[instance] = nil
            state.questions[instance] = nil
        }
    }

    func nodes() -> [NodeStatus] {
        let now = clock.milliseconds
        let statuses = state.withLock { state in
            forget(&state, now)
            return state.nodes.values.map(\.status)
        }
        return Array(statuses.sorted { ($0.name, $0.instance) < ($1.name, $1.instance) }.prefix(NodeBoardLimits.nodes))
    }

    func ask(_ question: NodeQuestion, of instance: String) {
        let now = clock.milliseconds
        state.withLock { state in
            forget(&state, now)
            var waiting = state.questions[instance] ?? Waiting()
            waiting.values = (waiting.values + [question]).suffix(NodeBoardLimits.questions)
            waiting.expiry = now + Self.questionLife
            state.questions[instance] = waiting
        }
    }

    func questions(to instance: String) -> [NodeQuestion] {
        let now = clock.milliseconds
        return state.withLock { state in
            forget(&state, now)
            return state.questions.removeValue(forKey: instance)?.values ?? []
        }
    }

    func answer(_ answer: NodeAnswer) {
        let now = clock.milliseconds
        state.withLock { state in
            forget(&state, now)
            var waiting = state.answers[answer.question] ?? Waiting()
            guard waiting.values.count < NodeBoardLimits.nodes else { return }
            waiting.values.append(answer)
            waiting.expiry = now + Self.questionLife
            state.answers[answer.question] = waiting
        }
    }

    func answers(to question: String) -> [NodeAnswer] {
        let now = clock.milliseconds
        return state.withLock { state in
            forget(&state, now)
            return state.answers[question]?.values ?? []
        }
    }

    private static var questionLife: Int64 { Int64(NodeBoardLimits.questionLife / .milliseconds(1)) }

    private func forget(_ state: inout State, _ now: Int64) {
        state.nodes = state.nodes.filter { $0.value.expiry > now }
        state.questions = state.questions.filter { $0.value.expiry > now }
        state.answers = state.answers.filter { $0.value.expiry > now }
    }
}
