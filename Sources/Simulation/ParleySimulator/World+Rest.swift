import ParleyModel
import ParleyStoreModel

/// The end of a run, at which everything comes to rest.
extension World {
    /// Waits until everything is at rest, at most a minute.
    func settle() {
        let end = scheduler.now + 60_000_000_000
        var reasons: [String] = []
        while scheduler.now < end {
            scheduler.run(until: scheduler.now + 1_000_000_000)
            // A start that failed since Redis was unavailable is tried again, as by a supervisor.
            for node in nodes.values.sorted(by: { $0.name < $1.name }) where node.failure != nil {
                self.end(node.name, isGone: false)
                startNode(node.name)
            }
            reasons = unrest()
            if reasons.isEmpty { return story.tell("world", "everything is at rest") }
        }
        for reason in reasons { observations.violation("no rest a minute after the last fault: \(reason)") }
    }

    private func unrest() -> [String] {
        var reasons = users.compactMap { user in user.unrest.map { "\(user.name) \($0)" } }
        let outbox = wait { [database] in try await database.outboxEntries(of: nil, limit: 10).count }
        if outbox != 0 { reasons.append("\(outbox ?? -1) entries in the outbox") }
        for node in nodes.values.sorted(by: { $0.name < $1.name }) where !node.isReady {
            reasons.append("\(node.name) has not started")
        }
        reasons += wait { [self] in try await FinalCheck.differences(of: self) } ?? ["the database cannot be read"]
        return reasons
    }
}
