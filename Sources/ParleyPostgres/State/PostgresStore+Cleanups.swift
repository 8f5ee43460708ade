package import ParleyModel

extension PostgresStore: Cleanups {
    /// The maximum numbers of memberships, names and messages of a user, and of rows per table of a thread, changed in
    /// one transaction.
    private static let (membershipsAtOnce, namesAtOnce, erasedAtOnce): (Int64, Int64, Int64) = (200, 500, 500)
    private static let deletedAtOnce: Int64 = 2000
    /// The number of threads remembered as already notified. A thread notified again only checks its log once more.
    private static let rememberedAtMost = 10_000

    package func eraseUser(_ user: UserID, at milliseconds: Int64) async throws(StoreError) -> StateChange<Bool> {
        let outbox = try await change { transaction -> [OutboxEntry]? in
            let (id, cleanup) = (Parameter.text(user.text), Cleanup.Subject.user(user).parameters)
            // Before the locks of threads, in the order used by the steps.
            try transaction.connection.run([
                Statement.begin(), StateQueries.insertCleanup(cleanup.kind, cleanup.id),
            ])
            let threads = try Self.threads(of: user, transaction)
            let replies = try transaction.connection.run([
                Locks.stateOfThreads(.texts(threads)), Locks.erasure(),
                ErasureQueries.user(.text(User.erased(user).name), .int(milliseconds), id),
                ErasureQueries.sessions(id), StateQueries.leaveThreads(id, .texts(threads)),
            ])
            guard replies[2].count == 1 else { return nil }
            return try transaction.commit([], outbox: Self.departures(of: user, replies[4])).outbox
        }
        return StateChange(outbox != nil, outbox: outbox ?? [])
    }

    package func claimCleanups(limit: Int) async throws(StoreError) -> [Cleanup] {
        guard limit > 0 else { return [] }
        return try await rows(.account, StateQueries.claimCleanups(.int(Int64(limit)))) { row in
            let lease = try row.int(2)
            return Cleanup.Subject(storedKind: try row.text(0), id: try row.text(1))
                .map { Cleanup(subject: $0, lease: lease) }
        }.compactMap { $0 }
    }

    package func finish(_ cleanup: Cleanup, forgetting sends: any SendMemory) async throws(StoreError) {
        switch cleanup.subject {
        case .thread(let thread): try await delete(thread, cleanup)
        case .user(let user): try await erase(user, cleanup, sends)
        }
    }

    // MARK: Steps

    /// The final statements of a step, the outbox entries it adds, and the next step; `nil` if it is the last.
    private struct Step<Next: Sendable> {
        var calls: [Call] = []
        var contents: [(ThreadID, OutboxEntry.Content)] = []
        var next: Next?
    }

    /// Runs one transaction and renews the claim.
    /// - Returns: `nil` if the claim has been taken over, or if this was the last step.
    private func step<Next: Sendable>(
        _ cleanup: Cleanup, _ body: @Sendable (StateTransaction) throws -> Step<Next>
    ) async throws(StoreError) -> (next: Next, notified: [ThreadID], claim: Cleanup)? {
        let (kind, id) = cleanup.subject.parameters
        return try await change { transaction in
            let held = try transaction.connection.run([
                Statement.begin(), StateQueries.holdCleanup(kind, id, .int(cleanup.lease)),
            ])[1]
            guard held.count == 1 else { return nil }
            let step = try body(transaction)
            let last =
                step.next == nil ? StateQueries.deleteCleanup(kind, id) : StateQueries.renewCleanup(kind, id)
            let replies = try transaction.commit(step.calls + [last], outbox: step.contents, isOverdue: true).replies
            guard let next = step.next, let lease = try replies[step.calls.count].first?.int(0) else { return nil }
            return (next, step.contents.map(\.0), Cleanup(subject: cleanup.subject, lease: lease))
        }
    }

    // MARK: Threads

    private func delete(_ thread: ThreadID, _ cleanup: Cleanup) async throws(StoreError) {
        var claim = cleanup
        while let step = try await step(claim, { try Self.deleteRows(of: thread, $0) }) { claim = step.claim }
    }

    /// Deletes some rows of a deleted thread.
    private static func deleteRows(of thread: ThreadID, _ transaction: StateTransaction) throws -> Step<Bool> {
        let (id, limit) = (Parameter.text(thread.text), Parameter.int(deletedAtOnce))
        let gone = try transaction.connection.run(ThreadQueries.deleteRows.map { $0(id, limit) })
        let isMore = try gone.contains { try $0.first?.int(0) == deletedAtOnce }
        return Step(next: isMore ? true : nil)
    }

    // MARK: Users

    /// The remaining steps of erasing a user, in this order. Once the memberships are gone, no new row with a text or
    /// name of the user is stored.
    private enum Remains: Sendable {
        case memberships
        case names
        case rejects
        /// Messages with a `client_id` after this one, in the order of their hashes.
        case named(after: String?)
        /// Messages without a `client_id`.
        case others(after: String?, Int64)
        case reactions
        /// The `client_id`s of messages; these ones the log has forgotten.
        case clientIDs([String])
    }

    private func erase(_ user: UserID, _ cleanup: Cleanup, _ sends: any SendMemory) async throws(StoreError) {
        var (claim, remains, notified) = (cleanup, Remains.memberships, Set<ThreadID>())
        while true {
            let (now, known) = (remains, notified)
            let step = try await step(claim) { try Self.erase(now, of: user, skipping: known, $0) }
            guard let step else { return }
            (claim, remains) = (step.claim, step.next)
            if case .clientIDs(let clientIDs) = remains { try await sends.forgetNames(clientIDs, of: user) }
            if notified.count > Self.rememberedAtMost { notified = [] }
            notified.formUnion(step.notified)
        }
    }

    /// - Parameter notified: the threads already notified.
    private static func erase(
        _ remains: Remains, of user: UserID, skipping notified: Set<ThreadID>, _ transaction: StateTransaction
    ) throws -> Step<Remains> {
        let (id, name) = (Parameter.text(user.text), Parameter.text(User.erased(user).name))
        switch remains {
        case .memberships:
            let threads = try threads(of: user, transaction)
            guard !threads.isEmpty else { return Step(next: .names) }
            // Threads that the user joins meanwhile are left for the next transaction.
            let left = try transaction.connection.run([
                Locks.stateOfThreads(.texts(threads)), StateQueries.leaveThreads(id, .texts(threads)),
            ])[1]
            return Step(contents: try departures(of: user, left), next: .memberships)
        case .names:
            let rows = try transaction.connection.run([ErasureQueries.names(name, id, .int(namesAtOnce))])[0]
            let threads = Set(try rows.map { ThreadID(trusted: try $0.text(0)) })
            return Step(
                contents: try redactions(of: user, in: threads.subtracting(notified), transaction),
                next: rows.count == Int(namesAtOnce) ? .names : .rejects)
        case .rejects:
            let bytes = Parameter.bytes(Array("\"user_id\":\"\(user)\"".utf8))
            return Step(calls: [ErasureQueries.rejects(bytes)], next: .named(after: nil))
        case .named(let place):
            let call = ErasureQueries.sentWithClientID(id, .text(place), .int(erasedAtOnce))
            let found = try transaction.connection.run([call])[0].map { (try Sent($0), try $0.text(4)) }
            var step = try erase(found.map(\.0), of: user, skipping: notified, transaction)
            step.next = .others(after: nil, 0)
            if found.count == Int(erasedAtOnce), let last = found.last { step.next = .named(after: last.1) }
            return step
        case .others(let thread, let seq):
            let call = ErasureQueries.sentWithoutClientID(id, .text(thread), .int(seq), .int(erasedAtOnce))
            let found = try transaction.connection.run([call])[0].map { try Sent($0) }
            var step = try erase(found, of: user, skipping: notified, transaction)
            step.next = .reactions
            if found.count == Int(erasedAtOnce), let last = found.last {
                step.next = .others(after: last.thread.text, last.seq)
            }
            return step
        case .reactions:
            let rows = try transaction.connection.run([ErasureQueries.reactions(id, .int(erasedAtOnce))])[0]
            let threads = Set(try rows.map { ThreadID(trusted: try $0.text(0)) })
            return Step(
                contents: try redactions(of: user, in: threads.subtracting(notified), transaction),
                next: rows.count == Int(erasedAtOnce) ? .reactions : .clientIDs([]))
        case .clientIDs(let forgotten):
            let left = try clientIDs(of: id, without: forgotten, transaction)
            return Step(next: left.isEmpty ? nil : .clientIDs(left))
        }
    }

    /// Removes `client_id`s from a user's messages.
    /// - Returns: some of those that are left.
    private static func clientIDs(
        of user: Parameter, without forgotten: [String], _ transaction: StateTransaction
    ) throws -> [String] {
        if !forgotten.isEmpty {
            let clientIDs = Parameter.texts(forgotten)
            try transaction.connection.run([
                ErasureQueries.forgetClientIDs(user, clientIDs), ErasureQueries.forgetLaterClientIDs(user, clientIDs),
            ])
        }
        let left = try transaction.connection.run([
            ErasureQueries.sentWithClientID(user, .text(nil), .int(erasedAtOnce)),
            ErasureQueries.laterClientIDs(user, .int(erasedAtOnce)),
        ])
        return Set(try left[0].map { try $0.text(4) } + left[1].map { try $0.text(0) }).sorted()
    }

    /// A message of an erased user.
    private struct Sent {
        let thread: ThreadID
        let seq: Int64
        let id: String
        /// Nothing is left to erase.
        let isErased: Bool

        /// - Parameter row: a row of `ErasureQueries.sentWithClientID`.
        init(_ row: Row) throws {
            (thread, seq) = (ThreadID(trusted: try row.text(0)), try row.int(1))
            (id, isErased) = (try row.text(2), try row.bool(3))
        }
    }

    /// Erases messages and notifies their threads, except those already notified.
    private static func erase(
        _ sent: [Sent], of user: UserID, skipping notified: Set<ThreadID>, _ transaction: StateTransaction
    ) throws -> Step<Remains> {
        let left = sent.filter { !$0.isErased }
        guard !left.isEmpty else { return Step() }
        let (threads, seqs) = (Parameter.texts(left.map(\.thread.text)), Parameter.ints(left.map(\.seq)))
        let new = Set(left.map(\.thread)).subtracting(notified)
        return Step(
            calls: [
                ErasureQueries.messages(.text(User.erased(user).name), threads, seqs),
                WriteQueries.forgetReactions(threads, seqs), WriteQueries.forgetEdits(threads, .texts(left.map(\.id))),
            ], contents: try redactions(of: user, in: new, transaction))
    }

    // MARK: Outbox entries

    /// Some of the threads that a user is a member of.
    private static func threads(of user: UserID, _ transaction: StateTransaction) throws -> [String] {
        let call = StateQueries.threadsOfMember(.text(user.text), .int(membershipsAtOnce))
        return try transaction.connection.run([call])[0].map { try $0.text(0) }
    }

    /// - Parameter left: the rows of `StateQueries.leaveThreads`.
    private static func departures(of user: UserID, _ left: Rows) throws -> [(ThreadID, OutboxEntry.Content)] {
        let left = try left.map { (ThreadID(trusted: try $0.text(0)), try kind($0.text(1))) }
        return left.sorted { $0.0.text < $1.0.text }.flatMap { thread, kind in
            (kind == .room ? [(thread, .append(.left(.erased(user), by: user)))] : []) + [(thread, .redactUser(user))]
        }
    }

    /// The entries that have the logs of threads redacted, except for threads with the same pending entry.
    private static func redactions(
        of user: UserID, in threads: Set<ThreadID>, _ transaction: StateTransaction
    ) throws -> [(ThreadID, OutboxEntry.Content)] {
        guard !threads.isEmpty else { return [] }
        let (content, ids) = (OutboxEntry.Content.redactUser(user), threads.map(\.text).sorted())
        let pending = try transaction.connection.run([
            Locks.stateOfThreads(.texts(ids)),
            ErasureQueries.pending(.texts(ids), .text(content.stored.kind), .text(content.stored.payload)),
        ])[1]
        let known = Set(try pending.map { try $0.text(0) })
        return ids.filter { !known.contains($0) }.map { (ThreadID(trusted: $0), content) }
    }
}

extension Cleanup.Subject {
    /// The primary key of the row.
    var parameters: (kind: Parameter, id: Parameter) { (.text(stored.kind), .text(stored.id)) }
}
