import Foundation
import GRDB
package import ParleyModel

extension SQLiteStore {
    /// How many messages of a user are erased in one transaction, and how many cleanups a call finishes.
    private static let (erasedAtOnce, cleanupsAtOnce) = (500, 100)

    /// All memberships end in the first transaction.
    package func eraseUser(_ user: UserID, at milliseconds: Int64) async throws(StoreError) -> StateChange<Bool> {
        let begun = try await change { try Self.erase(user, at: milliseconds, $0) }
        guard var outbox = begun else { return StateChange(false) }
        // Whatever breaks this off, it is known what is left to do.
        try? await finishErasure(of: user, knowing: Set(outbox.map(\.thread))) { outbox += $0 }
        return StateChange(true, outbox: outbox)
    }

    package func finishCleanups(begunBefore milliseconds: Int64) async throws(StoreError) {
        let users = try await read { db in
            try String.fetchAll(
                db.cachedStatement(sql: StateQueries.cleanups), arguments: [milliseconds, Self.cleanupsAtOnce])
        }
        for user in users { try await finishErasure(of: UserID(trusted: user), knowing: []) { _ in } }
    }

    /// - Returns: what is to be told; `nil` if there is no such user.
    private static func erase(
        _ user: UserID, at milliseconds: Int64, _ transaction: StateTransaction
    ) throws -> [OutboxEntry]? {
        let (db, erased) = (transaction.db, User.erased(user))
        try transaction.run(AccountQueries.eraseUser, [erased.name, milliseconds, user.text])
        guard db.changesCount == 1 else { return nil }
        let threads = try Row.fetchAll(
            db.cachedStatement(sql: StateQueries.threadsOfMember), arguments: [user.text]
        ).map { (ThreadID(trusted: $0[0]), try kind($0[1])) }
        for sql in [AccountQueries.deleteSessionsOfUser, AccountQueries.deleteMembershipsOfUser] {
            try transaction.run(sql, [user.text])
        }
        let named = try String.fetchAll(
            db.cachedStatement(sql: AccountQueries.eraseNames), arguments: [erased.name, user.text])
        try transaction.run(AccountQueries.eraseRejects, [Data("\"user_id\":\"\(user)\"".utf8)])
        try transaction.run(StateQueries.insertCleanup, [user.text, transaction.now])
        var outbox: [OutboxEntry] = []
        for (thread, kind) in threads {
            if kind == .room { outbox.append(try transaction.tell(thread, .append(.left(erased, by: user)))) }
            outbox.append(try transaction.tell(thread, .redactUser(user)))
        }
        // Threads that they left, and of which the log may still say who joined.
        for thread in Set(named).subtracting(threads.map(\.0.text)).sorted() {
            outbox.append(try transaction.tell(ThreadID(trusted: thread), .redactUser(user)))
        }
        return outbox
    }

    /// Erases texts.
    /// - Parameter told: threads that have been told already.
    private func finishErasure(
        of user: UserID, knowing told: Set<ThreadID>, _ tell: ([OutboxEntry]) -> Void
    ) async throws(StoreError) {
        var (place, told): (ExportPlace?, Set<ThreadID>) = (nil, told)
        repeat {
            let (start, known) = (place, told)
            let step = try await change { try Self.eraseMessages(of: user, after: start, knowing: known, $0) }
            place = step.next
            told.formUnion(step.outbox.map(\.thread))
            tell(step.outbox)
        } while place != nil
        try await change { try $0.run(StateQueries.deleteCleanup, [user.text]) }
    }

    /// Erases some messages of a user, and tells their threads, but for those that know.
    /// - Returns: where to go on; `nil` if all are erased.
    private static func eraseMessages(
        of user: UserID, after place: ExportPlace?, knowing told: Set<ThreadID>, _ transaction: StateTransaction
    ) throws -> (next: ExportPlace?, outbox: [OutboxEntry]) {
        let page = try export(of: user, after: place, limit: erasedAtOnce, in: transaction.db)
        var (told, outbox): (Set<ThreadID>, [OutboxEntry]) = (told, [])
        for event in page.messages where event.message?.isErased == false {
            let (thread, seq) = (event.thread.text, event.position.seq)
            try transaction.run(AccountQueries.eraseMessage, [User.erased(user).name, thread, seq])
            try transaction.run(WriteQueries.forgetReactions, [thread, seq])
            try transaction.run(WriteQueries.forgetEdits, [thread, event.message?.id.text])
            if told.insert(event.thread).inserted {
                outbox.append(try transaction.tell(event.thread, .redactUser(user)))
            }
        }
        return (page.next, outbox)
    }
}
