import GRDB
import ParleyModel

/// A transaction that changes state. There is one writer at a time, so rows that were read stay valid.
struct StateTransaction {
    let db: Database
    /// The store's clock in Unix milliseconds, for the outbox.
    let now: Int64

    /// Carries an error thrown by `authorize` through code that throws store errors.
    struct Rejection: Error {
        let error: any Error
    }

    /// Reads what a change of a thread or its members depends on, and authorises it.
    /// - Throws: `Rejection`.
    func judge(
        _ thread: ThreadID, requester: UserID, subject: UserID?, _ authorize: Authorization
    ) throws -> MemberRoles {
        let row = try Row.fetchOne(
            db.cachedStatement(sql: StateQueries.roles), arguments: [thread.text, requester.text, subject?.text])
        var roles = MemberRoles(thread: nil, requester: nil, subject: nil)
        if let row {
            let (requester, subject): (String?, String?) = (row[2], row[3])
            roles.thread = ThreadInfo(id: thread, kind: try SQLiteStore.kind(row[0]), title: row[1])
            roles.requester = try requester.map(SQLiteStore.role)
            roles.subject = try subject.map(SQLiteStore.role)
            roles.restrictions = Restrictions(isRemoved: row[4], isReadOnly: row[5])
        }
        do { try authorize(roles) } catch { throw Rejection(error: error) }
        return roles
    }

    func isPresent(_ user: UserID) throws -> Bool {
        try Row.fetchOne(db.cachedStatement(sql: StateQueries.isPresent), arguments: [user.text]) != nil
    }

    func run(_ sql: String, _ arguments: StatementArguments) throws {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    /// Adds an outbox entry.
    /// - Parameter isOverdue: whether only persisters relay the entry, so that they need not wait for this node.
    func addOutboxEntry(
        _ thread: ThreadID, _ content: OutboxEntry.Content, isOverdue: Bool = false
    ) throws -> OutboxEntry {
        let stored = content.stored
        try run(StateQueries.insertOutboxEntry, [thread.text, stored.kind, stored.payload, isOverdue ? 0 : now])
        return OutboxEntry(id: db.lastInsertedRowID, thread: thread, content: content)
    }
}

extension SQLiteStore {
    func change<Value: Sendable>(
        _ body: @Sendable (StateTransaction) throws -> Value
    ) async throws(StoreError) -> Value {
        let now = clock.milliseconds
        defer { noteRemains() }
        return try await write { db in try body(StateTransaction(db: db, now: now)) }
    }

    /// Runs a transaction as `change` does, and unwraps the error of a failed authorisation.
    func judged<Value: Sendable>(_ body: @Sendable (StateTransaction) throws -> Value) async throws -> Value {
        let now = clock.milliseconds
        defer { noteRemains() }
        do {
            return try await pool.write { db in try body(StateTransaction(db: db, now: now)) }
        } catch let rejection as StateTransaction.Rejection {
            throw rejection.error
        } catch {
            writability.failed(error, path: path)
            throw StoreError(error, path: path)
        }
    }
}
