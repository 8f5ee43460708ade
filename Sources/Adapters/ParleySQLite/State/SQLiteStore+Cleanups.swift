import GRDB
package import ParleyModel
package import ParleyStorage

/// Only erasures have cleanups, since a thread is deleted in one transaction.
extension SQLiteStore: Cleanups {
    package func claimCleanups(limit: Int) async throws(StoreError) -> [Cleanup] {
        guard limit > 0 else { return [] }
        let now = clock.milliseconds
        let find = { @Sendable (db: Database) in
            try String.fetchAll(db.cachedStatement(sql: StateQueries.cleanups), arguments: [now, limit])
        }
        // Avoids a write transaction in the usual case that nothing is due.
        let due = try await read(find)
        guard !due.isEmpty else { return [] }
        return try await change { transaction in
            let lease = now + Cleanup.leaseMilliseconds
            return try find(transaction.db).map { user in
                try transaction.run(StateQueries.renewCleanup, [lease, user])
                return Cleanup(subject: .user(UserID(trusted: user)), lease: lease)
            }
        }
    }

    package func finish(_ cleanup: Cleanup, forgetting sends: any SendMemory) async throws(StoreError) {
        guard case .user(let user) = cleanup.subject else { return }
        try await finishErasure(of: user, cleanup, forgetting: sends)
    }

    package func removeEndedEntrances(before milliseconds: Int64, limit: Int) async throws(StoreError) -> Int {
        guard limit > 0 else { return 0 }
        return try await write { db in
            let ended = [
                (LinkQueries.removeEnded, milliseconds), (EntranceQueries.removeEndedInvitations, milliseconds),
                (EntranceQueries.removeEndedRequests, JoinRequest.oldest(endedBefore: milliseconds)),
            ]
            return try ended.reduce(0) { count, step in
                try db.run(step.0, [step.1, limit])
                return count + db.changesCount
            }
        }
    }

    package func step<Next: Sendable>(
        of cleanup: Cleanup, _ decide: @escaping @Sendable (StateTransaction) throws -> StateDecision<Next?>
    ) async throws(StoreError) -> (decision: StateDecision<Next?>, claim: Cleanup)? {
        let id = cleanup.subject.stored.id
        return try await change { transaction in
            let held = try Row.fetchOne(
                transaction.db.cachedStatement(sql: StateQueries.isClaimed), arguments: [id, cleanup.lease])
            guard held != nil else { return nil }
            let decision = try decide(transaction)
            _ = try transaction.execute(decision, isOverdue: true)
            guard decision.value != nil else {
                try transaction.run(StateQueries.deleteCleanup, [id])
                return nil
            }
            let lease = transaction.now + Cleanup.leaseMilliseconds
            try transaction.run(StateQueries.renewCleanup, [lease, id])
            return (decision, Cleanup(subject: cleanup.subject, lease: lease))
        }
    }
}
