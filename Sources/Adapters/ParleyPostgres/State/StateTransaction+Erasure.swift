package import ParleyModel
package import ParleyStorage

/// Facts and changes of an erasure and of cleanups.
extension StateTransaction {
    /// The maximum number of memberships that one transaction ends.
    private static let membershipsAtOnce: Int64 = 200
    /// The maximum number of rows that one transaction deletes from each table of a deleted thread.
    private static let deletedAtOnce: Int64 = 2000

    package func erasure(of user: UserID) throws -> (isKnown: Bool, memberships: [HeldMembership]) {
        try connection.run(Pipeline(Statement.begin()))
        let threads = try threads(of: user)
        var pipeline = Pipeline(Locks.stateOfThreads(.texts(threads)), Locks.erasure())
        let known = pipeline.add(ErasureQueries.isKnown(.text(user.text)))
        let memberships = pipeline.add(StateQueries.memberships(.text(user.text), .texts(threads)))
        let replies = try connection.run(pipeline)
        return (replies.count(known) == 1, try replies.all(memberships))
    }

    package func memberships(of user: UserID) throws -> [HeldMembership] {
        while true {
            let threads = try threads(of: user)
            guard !threads.isEmpty else { return [] }
            var pipeline = Pipeline(Locks.stateOfThreads(.texts(threads)))
            let held = pipeline.add(StateQueries.memberships(.text(user.text), .texts(threads)))
            let memberships = try connection.run(pipeline).all(held)
            if !memberships.isEmpty { return memberships }
            // The memberships ended in the meantime, but there may be others.
        }
    }

    /// Returns some of the threads that a user is a member of, without locking them.
    private func threads(of user: UserID) throws -> [String] {
        try connection.run(StateQueries.threadsOfMember(.text(user.text), .int(Self.membershipsAtOnce)))
    }

    package func sentMessages(
        of user: UserID, withClientIDAfter clientID: String?, limit: Int
    ) throws -> [SentMessage] {
        try connection.run(ErasureQueries.sentWithClientID(.text(user.text), .text(clientID), .int(Int64(limit))))
    }

    package func sentMessages(
        of user: UserID, withoutClientIDAfter last: SentMessage?, limit: Int
    ) throws -> [SentMessage] {
        try connection.run(
            ErasureQueries.sentWithoutClientID(
                .text(user.text), .text(last?.thread.text), .int(last?.seq ?? 0), .int(Int64(limit))))
    }

    package func renameEvents(of user: UserID, to name: String, limit: Int) throws -> [ThreadID] {
        try connection.run(ErasureQueries.names(.text(name), .text(user.text), .int(Int64(limit))))
    }

    package func eraseReactions(of user: UserID, limit: Int) throws -> [ThreadID] {
        try connection.run(ErasureQueries.reactions(.text(user.text), .int(Int64(limit))))
    }

    package func forgetClientIDs(_ clientIDs: [String], of user: UserID) throws {
        let (id, clientIDs) = (Parameter.text(user.text), Parameter.texts(clientIDs))
        try connection.run(
            Pipeline(
                ErasureQueries.forgetClientIDs(id, clientIDs), ErasureQueries.forgetLaterClientIDs(id, clientIDs)))
    }

    package func clientIDs(of user: UserID, limit: Int) throws -> [String] {
        var pipeline = Pipeline()
        let first = pipeline.add(
            ErasureQueries.sentWithClientID(.text(user.text), .text(nil), .int(Int64(limit))))
        let later = pipeline.add(ErasureQueries.laterClientIDs(.text(user.text), .int(Int64(limit))))
        let replies = try connection.run(pipeline)
        return Set(try replies.all(first).compactMap(\.clientID) + replies.all(later)).sorted()
    }

    /// Deletes some rows of a deleted thread.
    /// - Returns: whether rows may be left.
    func deleteRows(of thread: ThreadID) throws -> Bool {
        var pipeline = Pipeline()
        let counts = ThreadQueries.deleteRows.map {
            pipeline.add($0(.text(thread.text), .int(Self.deletedAtOnce)))
        }
        let replies = try connection.run(pipeline)
        return try counts.contains { try replies.first($0) == Self.deletedAtOnce }
    }

    // MARK: Steps of cleanups

    /// Begins the transaction of a step, and locks the claim.
    /// - Returns: whether the claim is unchanged.
    func hold(_ cleanup: Cleanup) throws -> Bool {
        let (kind, id) = cleanup.subject.parameters
        var pipeline = Pipeline(Statement.begin())
        let held = pipeline.add(StateQueries.holdCleanup(kind, id, .int(cleanup.lease)))
        return try connection.run(pipeline).count(held) == 1
    }

    /// Executes the decision of a step, renews or deletes the claim, and commits.
    /// - Returns: the renewed claim; `nil` if this was the last step.
    func commit<Next>(_ decision: StateDecision<Next?>, of cleanup: Cleanup) throws -> Cleanup? {
        let (kind, id) = cleanup.subject.parameters
        var pipeline = Pipeline()
        for change in decision.changes { pipeline.add(calls(of: change)) }
        let lease = pipeline.add(
            decision.value == nil ? StateQueries.deleteCleanup(kind, id) : StateQueries.renewCleanup(kind, id))
        if !decision.outbox.isEmpty {
            _ = pipeline.add(Self.insertion(of: decision.outbox, isOverdue: true))
        }
        pipeline.add(Statement.commit())
        let renewed = try connection.run(pipeline).first(lease)
        guard decision.value != nil, let renewed else { return nil }
        return Cleanup(subject: cleanup.subject, lease: renewed)
    }
}

extension Cleanup.Subject {
    /// The primary key of the row.
    var parameters: (kind: Parameter, id: Parameter) { (.text(stored.kind), .text(stored.id)) }
}
