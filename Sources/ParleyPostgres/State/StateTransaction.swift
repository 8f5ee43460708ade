import ParleyModel

/// A transaction that changes state: reads, authorises, writes, and adds outbox entries.
struct StateTransaction {
    let connection: PostgresConnection
    /// This node's clock, in Unix milliseconds.
    let now: Int64

    /// Carries an error thrown by `authorize` through code that throws store errors.
    struct Rejection: Error {
        let error: any Error
    }

    /// Begins the transaction and authorises the change of a thread or its members. No other transaction changes the
    /// thread's members, title or existence until the transaction ends.
    /// - Throws: `Rejection`.
    func begin(
        _ thread: ThreadID, requester: UserID, subject: UserID?, _ calls: [Call] = [], authorize: Authorization
    ) throws -> (roles: MemberRoles, replies: ArraySlice<Rows>) {
        let id = Parameter.text(thread.text)
        let before = [
            Statement.begin(), Locks.stateOfThread(id),
            StateQueries.roles(id, .text(requester.text), .text(subject?.text)),
        ]
        let replies = try connection.run(before + calls)
        let roles = try replies[2].first.map { row in
            MemberRoles(
                thread: ThreadInfo(id: thread, kind: try PostgresStore.kind(row.text(0)), title: try row.text(1)),
                requester: try row.optionalText(2).map(PostgresStore.role),
                subject: try row.optionalText(3).map(PostgresStore.role),
                restrictions: Restrictions(isRemoved: try row.bool(4), isReadOnly: try row.bool(5)))
        }
        let known = roles ?? MemberRoles(thread: nil, requester: nil, subject: nil)
        do { try authorize(known) } catch { throw Rejection(error: error) }
        return (known, replies[before.count...])
    }

    /// Runs the last calls of the transaction, adds the outbox entries, and commits.
    /// - Parameter isOverdue: whether only persisters relay the entries, so that they need not wait for this node.
    /// - Returns: the replies to `calls`, and the entries.
    func commit(
        _ calls: [Call], outbox contents: [(ThreadID, OutboxEntry.Content)], isOverdue: Bool = false
    ) throws -> (replies: [Rows], outbox: [OutboxEntry]) {
        guard !contents.isEmpty else { return (try connection.run(calls + [Statement.commit()]), []) }
        let replies = try connection.run(
            calls + [insertOutboxEntries(contents, isOverdue: isOverdue), Statement.commit()])
        return (replies, try Self.entries(replies[calls.count], contents))
    }

    func insertOutboxEntries(_ contents: [(ThreadID, OutboxEntry.Content)], isOverdue: Bool = false) -> Call {
        let stored = contents.map(\.1.stored)
        return StateQueries.insertOutboxEntries(
            .texts(contents.map(\.0.text)), .texts(stored.map(\.kind)), .texts(stored.map(\.payload)),
            .int(isOverdue ? 0 : nil))
    }

    static func entries(
        _ reply: Rows, _ contents: [(ThreadID, OutboxEntry.Content)]
    ) throws -> [OutboxEntry] {
        let ids = try reply.map { try $0.int(0) }.sorted()
        return zip(ids, contents).map { OutboxEntry(id: $0, thread: $1.0, content: $1.1) }
    }
}

extension PostgresStore {
    /// The maximum number of attempts of a transaction that conflicts with others.
    static let stateAttempts = 4

    /// Runs a transaction and retries it after conflicts; one left open is rolled back.
    func change<Value: Sendable>(
        _ body: @Sendable (StateTransaction) throws -> Value
    ) async throws(StoreError) -> Value {
        let now = clock.milliseconds
        return try await pool.perform(.account) { try Self.attempt(StateTransaction(connection: $0, now: now), body) }
    }

    /// Runs a transaction as `change` does, and unwraps the error of a failed authorisation.
    func authorizedChange<Value: Sendable>(_ body: @Sendable (StateTransaction) throws -> Value) async throws -> Value {
        let result: Result<Value, any Error> = try await change { transaction in
            do {
                return .success(try body(transaction))
            } catch let rejection as StateTransaction.Rejection {
                return .failure(rejection.error)
            }
        }
        return try result.get()
    }

    private static func attempt<Value>(
        _ transaction: StateTransaction, _ body: (StateTransaction) throws -> Value
    ) throws -> Value {
        var attempt = 1
        while true {
            do {
                return try body(transaction)
            } catch let error as PostgresError where error.isCollision {
                guard attempt < stateAttempts, transaction.connection.recover() else { throw error }
                attempt += 1
            }
        }
    }
}
