import ParleyModel

/// The nodes, as operators ask for them: how they are, and what they say to a question.
struct Cluster: Sendable {
    /// How long to wait before answers are looked for again.
    private static let pause = Duration.milliseconds(25)

    private let admin: AdminServices
    private let clock: WallClock

    init(_ services: RESTServices) {
        admin = services.admin
        clock = services.clock
    }

    /// The nodes that are alive; this one at least.
    /// - Returns: why others may be missing; `nil` if none are.
    func nodes() async -> (nodes: [NodeStatus], trouble: String?) {
        let own = admin.status()
        do throws(LedgerError) {
            var nodes = try await admin.board.nodes()
            if !nodes.contains(where: { $0.instance == own.instance }) { nodes.append(own) }
            return (nodes, nil)
        } catch {
            return switch error {
            case .unavailable(let reason): ([own], reason)
            }
        }
    }

    /// Asks nodes, all at the same time.
    /// - Returns: what they say within `AdminServices.patience`, and who says nothing.
    func ask(
        _ content: NodeQuestion.Content, of nodes: [NodeStatus]
    ) async -> (answers: [NodeAnswer], silent: [NodeStatus]) {
        let question = NodeQuestion(id: UUIDv7(clock).description, content)
        let own = admin.status().instance
        var asked: Set<String> = []
        for node in nodes where node.instance != own {
            if (try? await admin.board.ask(question, of: node.instance)) != nil { asked.insert(node.instance) }
        }
        let deadline = ContinuousClock.now + admin.patience
        var answers: [NodeAnswer] = []
        if nodes.contains(where: { $0.instance == own }) { answers.append(await admin.answer(question)) }
        var others: [NodeAnswer] = []
        while others.count < asked.count {
            others = (try? await admin.board.answers(to: question.id)) ?? others
            guard others.count < asked.count, ContinuousClock.now < deadline,
                (try? await Task.sleep(for: Self.pause)) != nil
            else { break }
        }
        answers += others
        let heard = Set(answers.map(\.instance))
        return (answers, nodes.filter { !heard.contains($0.instance) })
    }
}

extension NodeStatus {
    /// Whether clients can be connected to it.
    var hasSockets: Bool { role != "persister" }
}
