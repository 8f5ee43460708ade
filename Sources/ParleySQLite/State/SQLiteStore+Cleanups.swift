import Foundation
import GRDB
package import ParleyModel

extension SQLiteStore: Cleanups {
    /// The maximum number of names and messages of a user erased in one transaction.
    private static let erasedAtOnce = 500
    /// The number of threads remembered as already notified. A thread notified again only checks its log once more.
    private static let rememberedAtMost = 10_000

    /// Erases a user and ends all memberships.
    package func eraseUser(_ user: UserID, at milliseconds: Int64) async throws(StoreError) -> StateChange<Bool> {
        let outbox = try await change { transaction -> [OutboxEntry]? in
            let (db, erased) = (transaction.db, User.erased(user))
            try transaction.run(AccountQueries.eraseUser, [erased.name, milliseconds, user.text])
            guard db.changesCount == 1 else { return nil }
            let threads = try Row.fetchAll(
                db.cachedStatement(sql: StateQueries.threadsOfMember), arguments: [user.text]
            ).map { (ThreadID(trusted: $0[0]), try Self.kind($0[1])) }
            for sql in [AccountQueries.deleteSessionsOfUser, AccountQueries.deleteMembershipsOfUser] {
                try transaction.run(sql, [user.text])
            }
            try transaction.run(StateQueries.insertCleanup, [user.text, transaction.now])
            var outbox: [OutboxEntry] = []
            for (thread, kind) in threads {
                if kind == .room {
                    outbox.append(try transaction.addOutboxEntry(thread, .append(.left(erased, by: user))))
                }
                outbox.append(try transaction.addOutboxEntry(thread, .redactUser(user)))
            }
            return outbox
        }
        return StateChange(outbox != nil, outbox: outbox ?? [])
    }

    /// Claims erasures; a thread is deleted in one transaction and needs no cleanup.
    package func claimCleanups(limit: Int) async throws(StoreError) -> [Cleanup] {
        guard limit > 0 else { return [] }
        let now = clock.milliseconds
        let find = { @Sendable (db: Database) in
            try String.fetchAll(db.cachedStatement(sql: StateQueries.cleanups), arguments: [now, limit])
        }
        // Usually nothing is due, and nothing is written.
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
        var (lease, remains, notified) = (cleanup.lease, Remains.names, Set<ThreadID>())
        while true {
            let (held, now, known) = (lease, remains, notified)
            let step = try await change { transaction -> (next: Remains, notified: [ThreadID], lease: Int64)? in
                let claim = try Row.fetchOne(
                    transaction.db.cachedStatement(sql: StateQueries.isClaimed), arguments: [user.text, held])
                guard claim != nil else { return nil }
                let (next, threads) = try Self.erase(now, of: user, skipping: known, transaction)
                guard let next else {
                    try transaction.run(StateQueries.deleteCleanup, [user.text])
                    return nil
                }
                let lease = transaction.now + Cleanup.leaseMilliseconds
                try transaction.run(StateQueries.renewCleanup, [lease, user.text])
                return (next, threads, lease)
            }
            guard let step else { return }
            (remains, lease) = (step.next, step.lease)
            if case .clientIDs(let clientIDs) = remains { try await sends.forgetNames(clientIDs, of: user) }
            if notified.count > Self.rememberedAtMost { notified = [] }
            notified.formUnion(step.notified)
        }
    }

    /// The remaining steps of erasing a user, in this order.
    private enum Remains: Sendable {
        case names
        case rejects
        /// Messages with a `client_id` after this one.
        case named(after: String)
        /// Messages without a `client_id`.
        case others(after: String, Int64)
        case reactions
        /// The `client_id`s of messages; these ones the log has forgotten.
        case clientIDs([String])
    }

    /// Runs one step of an erasure.
    /// - Parameter notified: the threads already notified.
    /// - Returns: the next step, `nil` if this was the last; and the threads notified by this step.
    private static func erase(
        _ remains: Remains, of user: UserID, skipping notified: Set<ThreadID>, _ transaction: StateTransaction
    ) throws -> (next: Remains?, notified: [ThreadID]) {
        let db = transaction.db
        switch remains {
        case .names:
            let named = try String.fetchAll(
                db.cachedStatement(sql: AccountQueries.eraseNames),
                arguments: [User.erased(user).name, user.text, erasedAtOnce])
            let threads = Set(named.map { ThreadID(trusted: $0) }).subtracting(notified)
            return (
                named.count == erasedAtOnce ? .names : .rejects, try redact(user, in: threads, transaction)
            )
        case .rejects:
            try transaction.run(AccountQueries.eraseRejects, [Data("\"user_id\":\"\(user)\"".utf8)])
            return (.named(after: ""), [])
        case .named(let place):
            let rows = try Row.fetchAll(
                db.cachedStatement(sql: AccountQueries.sentWithClientID),
                arguments: [user.text, place, erasedAtOnce])
            let threads = try erase(rows, of: user, skipping: notified, transaction)
            guard rows.count == erasedAtOnce, let last = rows.last else { return (.others(after: "", 0), threads) }
            return (.named(after: last[4]), threads)
        case .others(let thread, let seq):
            let rows = try Row.fetchAll(
                db.cachedStatement(sql: AccountQueries.sentWithoutClientID),
                arguments: [user.text, thread, seq, erasedAtOnce])
            let threads = try erase(rows, of: user, skipping: notified, transaction)
            guard rows.count == erasedAtOnce, let last = rows.last else { return (.reactions, threads) }
            return (.others(after: last[0], last[1]), threads)
        case .reactions:
            let rows = try Row.fetchAll(
                db.cachedStatement(sql: AccountQueries.reactionsOfUser), arguments: [user.text, erasedAtOnce])
            for row in rows {
                let (thread, seq, message, emoji): (String, Int64, Int64, String) = (row[0], row[1], row[2], row[3])
                try transaction.run(WriteQueries.unreact, [thread, message, emoji, user.text])
                try transaction.run(AccountQueries.eraseReaction, [thread, seq])
            }
            let threads = Set(rows.map { ThreadID(trusted: $0[0]) }).subtracting(notified)
            return (
                rows.count == erasedAtOnce ? .reactions : .clientIDs([]), try redact(user, in: threads, transaction)
            )
        case .clientIDs(let forgotten):
            for clientID in forgotten {
                for sql in [
                    AccountQueries.forgetClientID, AccountQueries.forgetLaterClientID, AccountQueries.deleteLaterSends,
                ] {
                    try transaction.run(sql, [user.text, clientID])
                }
            }
            let rows = try Row.fetchAll(
                db.cachedStatement(sql: AccountQueries.sentWithClientID), arguments: [user.text, "", erasedAtOnce])
            let later = try String.fetchAll(
                db.cachedStatement(sql: AccountQueries.laterClientIDs), arguments: [user.text, erasedAtOnce])
            let left = Set(rows.map { $0[4] as String } + later).sorted()
            return (left.isEmpty ? nil : .clientIDs(left), [])
        }
    }

    /// Erases messages and notifies their threads, except those already notified.
    /// - Parameter rows: rows of `AccountQueries.sentWithClientID`.
    private static func erase(
        _ rows: [Row], of user: UserID, skipping notified: Set<ThreadID>, _ transaction: StateTransaction
    ) throws -> [ThreadID] {
        var threads: Set<ThreadID> = []
        for row in rows {
            let (thread, seq, id, isErased): (String, Int64, String, Bool) = (row[0], row[1], row[2], row[3])
            guard !isErased else { continue }
            try transaction.run(AccountQueries.eraseMessage, [User.erased(user).name, thread, seq])
            try transaction.run(WriteQueries.forgetReactions, [thread, seq])
            try transaction.run(WriteQueries.forgetEdits, [thread, id])
            threads.insert(ThreadID(trusted: thread))
        }
        return try redact(user, in: threads.subtracting(notified), transaction)
    }

    /// Has the logs of threads redacted, except for threads with the same pending entry.
    /// - Returns: the threads.
    private static func redact(
        _ user: UserID, in threads: Set<ThreadID>, _ transaction: StateTransaction
    ) throws -> [ThreadID] {
        let (content, ids) = (OutboxEntry.Content.redactUser(user), threads.map(\.text).sorted())
        guard !ids.isEmpty else { return [] }
        let pending = Set(
            try String.fetchAll(
                transaction.db.cachedStatement(sql: StateQueries.threadsWithOutboxEntry),
                arguments: [json(ids), content.stored.kind, content.stored.payload]))
        for id in ids where !pending.contains(id) {
            _ = try transaction.addOutboxEntry(ThreadID(trusted: id), content, isOverdue: true)
        }
        return ids.map { ThreadID(trusted: $0) }
    }
}
