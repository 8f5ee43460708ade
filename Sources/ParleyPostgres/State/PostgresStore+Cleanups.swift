package import ParleyModel

/// What is committed, and of which rows have still to go.
enum Cleanup: Hashable, Sendable {
    case user(UserID)
    case thread(ThreadID)

    static let userKind = "user"
    static let threadKind = "thread"

    fileprivate init?(kind: String, id: String) {
        switch kind {
        case Self.userKind: self = .user(UserID(trusted: id))
        case Self.threadKind: self = .thread(ThreadID(trusted: id))
        default: return nil
        }
    }
}

extension PostgresStore {
    /// How many memberships, messages of a user, and messages of a thread go in one transaction.
    private static let (membershipsAtOnce, erasedAtOnce, deletedAtOnce): (Int64, Int, Int64) = (200, 500, 2000)
    /// How many cleanups a call finishes.
    private static let cleanupsAtOnce: Int64 = 100

    package func eraseUser(_ user: UserID, at milliseconds: Int64) async throws(StoreError) -> StateChange<Bool> {
        let begun = try await change { try Self.leaveThreads(of: user, erasingAt: milliseconds, $0) }
        guard let begun else { return StateChange(false) }
        var outbox = begun.outbox
        // Whatever breaks this off, it is known what is left to do.
        try? await finishErasure(of: user, knowing: Set(outbox.map(\.thread))) { outbox += $0 }
        return StateChange(true, outbox: outbox)
    }

    package func finishCleanups(begunBefore milliseconds: Int64) async throws(StoreError) {
        let call = StateQueries.cleanups(.int(milliseconds), .int(Self.cleanupsAtOnce))
        let found = try await rows(.account, call) { Cleanup(kind: try $0.text(0), id: try $0.text(1)) }
        for cleanup in found.compactMap({ $0 }) { try await finishCleanup(cleanup) }
    }

    func finishCleanup(_ cleanup: Cleanup) async throws(StoreError) {
        switch cleanup {
        case .user(let user): try await finishErasure(of: user, knowing: []) { _ in }
        case .thread(let thread):
            while try await change({ try Self.deleteRows(of: thread, $0) }) {}
        }
    }

    // MARK: Threads

    /// Deletes some rows of a thread that is gone.
    /// - Returns: whether there may be more.
    private static func deleteRows(of thread: ThreadID, _ transaction: StateTransaction) throws -> Bool {
        let (kind, id) = (Parameter.text(Cleanup.threadKind), Parameter.text(thread.text))
        // Whoever makes a thread under the id has deleted them all.
        let held = try transaction.connection.run([Statement.begin(), StateQueries.holdCleanup(kind, id)])[1]
        guard held.count == 1 else { return false }
        let gone = try transaction.connection.run([ThreadQueries.deleteOldest(id, .int(deletedAtOnce))])[0]
        if try gone.first?.int(0) == deletedAtOnce {
            _ = try transaction.commit([], telling: [])
            return true
        }
        _ = try transaction.commit(
            [
                ThreadQueries.deleteEvents(id), ThreadQueries.deleteReactions(id),
                StateQueries.deleteCleanup(kind, id),
            ], telling: [])
        return false
    }

    // MARK: Users

    /// Ends some memberships.
    /// - Parameter date: erases the user first; `nil`: they are erased.
    /// - Returns: what was told, and whether there were no memberships; `nil` if there is no such user.
    private static func leaveThreads(
        of user: UserID, erasingAt date: Int64?, _ transaction: StateTransaction
    ) throws -> (outbox: [OutboxEntry], isEnd: Bool)? {
        let id = Parameter.text(user.text)
        let found = try transaction.connection.run([
            Statement.begin(), StateQueries.threadsOfMember(id, .int(membershipsAtOnce)),
        ])[1]
        let threads = try found.map { try $0.text(0) }
        // Those that they join meanwhile are left for the next transaction.
        var calls = [Locks.stateOfThreads(.texts(threads))]
        if let date {
            calls += [
                Locks.erasure(), ErasureQueries.user(.text(User.erased(user).name), .int(date), id),
                ErasureQueries.sessions(id),
                StateQueries.insertCleanup(.text(Cleanup.userKind), id, .int(transaction.now)),
            ]
        }
        calls.append(StateQueries.leaveThreads(id, .texts(threads)))
        let answers = try transaction.connection.run(calls)
        if date != nil, answers[2].count == 0 { return nil }
        let left = try answers[calls.count - 1].map { row in
            (ThreadID(trusted: try row.text(0)), try kind(row.text(1)))
        }.sorted { $0.0.text < $1.0.text }
        var contents: [(ThreadID, OutboxEntry.Content)] = []
        for (thread, kind) in left {
            if kind == .room { contents.append((thread, .append(.left(.erased(user), by: user)))) }
            contents.append((thread, .redactUser(user)))
        }
        return (try transaction.commit([], telling: contents).outbox, threads.isEmpty)
    }

    /// Ends what memberships are left, and erases names, rejects and texts.
    /// - Parameter told: threads that have been told already.
    private func finishErasure(
        of user: UserID, knowing told: Set<ThreadID>, _ tell: ([OutboxEntry]) -> Void
    ) async throws(StoreError) {
        var told = told
        while true {
            let step = try await change { try Self.leaveThreads(of: user, erasingAt: nil, $0) }
            guard let step, !step.isEnd else { break }
            told.formUnion(step.outbox.map(\.thread))
            tell(step.outbox)
        }
        // From here on nothing of this user's is stored with a text or a name.
        let known = told
        let named = try await change { try Self.eraseNames(of: user, knowing: known, $0) }
        told.formUnion(named.map(\.thread))
        tell(named)
        try await run(.account, ErasureQueries.rejects(.bytes(Array("\"user_id\":\"\(user)\"".utf8))))
        var place: ExportPlace?
        repeat {
            let (start, known) = (place, told)
            let step = try await change { try Self.eraseMessages(of: user, after: start, knowing: known, $0) }
            place = step.next
            told.formUnion(step.outbox.map(\.thread))
            tell(step.outbox)
        } while place != nil
        try await run(.account, StateQueries.deleteCleanup(.text(Cleanup.userKind), .text(user.text)))
    }

    /// Erases a user's name in who joined and left, and tells the threads, which may be none that they were in or wrote to.
    private static func eraseNames(
        of user: UserID, knowing told: Set<ThreadID>, _ transaction: StateTransaction
    ) throws -> [OutboxEntry] {
        let calls = [Statement.begin(), ErasureQueries.names(.text(User.erased(user).name), .text(user.text))]
        let rows = try transaction.connection.run(calls)[1]
        let threads = Set(try rows.map { ThreadID(trusted: try $0.text(0)) }).subtracting(told)
        let contents = threads.sorted { $0.text < $1.text }.map { ($0, OutboxEntry.Content.redactUser(user)) }
        return try transaction.commit([], telling: contents).outbox
    }

    /// Erases some messages of a user, and tells their threads, but for those that know.
    /// - Returns: where to go on; `nil` if all are erased.
    private static func eraseMessages(
        of user: UserID, after place: ExportPlace?, knowing told: Set<ThreadID>, _ transaction: StateTransaction
    ) throws -> (next: ExportPlace?, outbox: [OutboxEntry]) {
        let page = try export(of: user, after: place, limit: erasedAtOnce, transaction.connection)
        let left = page.messages.filter { $0.message?.isErased == false }
        guard !left.isEmpty else { return (page.next, []) }
        let (threads, seqs) = (Parameter.texts(left.map(\.thread.text)), Parameter.ints(left.map(\.position.seq)))
        let new = Set(left.map(\.thread)).subtracting(told).sorted { $0.text < $1.text }
        let contents = new.map { ($0, OutboxEntry.Content.redactUser(user)) }
        let outbox = try transaction.commit(
            [
                Statement.begin(), Locks.stateOfThreads(.texts(new.map(\.text))),
                ErasureQueries.messages(.text(User.erased(user).name), threads, seqs),
                WriteQueries.forgetReactions(threads, seqs),
                WriteQueries.forgetEdits(threads, .texts(left.compactMap { $0.message?.id.text })),
            ], telling: contents
        ).outbox
        return (page.next, outbox)
    }
}
