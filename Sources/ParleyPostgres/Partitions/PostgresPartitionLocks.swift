package import ParleyModel

/// Partitions shared out by advisory locks of a session that does nothing else.
///
/// - The session's end is the end of its locks, so a process that is killed gives up everything as soon as its socket is
///   closed, and one whose host is gone or cut off within `peerLimit`. A process that hangs keeps what it has.
/// - All who take part hold one lock together; how many they are is counted in `pg_locks`.
/// - Names of locks hold the schema, so that two Parleys in one database are strangers.
/// - It needs a session of its own for good: a pooler in between must not hand sessions around (PgBouncer:
///   `pool_mode = session`). One that does is noticed and refused.
///
/// State belongs to the actor, whose thread is the only one that waits for the server: at most `connectLimit` for each
/// host and `answerLimit` a call.
package actor PostgresPartitionLocks: PartitionLocks {
    private enum State {
        case away
        case holding(PartitionLockSession)
        /// Everything was lost, which the next `balance` must tell.
        case lost(StoreError)
    }

    private nonisolated let thread = ConnectionThread(name: "postgres-locks")
    private let settings: PostgresSettings
    private var state = State.away

    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// Connects with the first `balance`, not here.
    /// - Parameters:
    ///   - settings: the address; limits of its own count, as below.
    ///   - answerLimit: how long an answer may take before everything counts as lost.
    ///   - peerLimit: how long each side's host may be gone before the other's kernel gives the connection up; whole
    ///     seconds, at least 4.
    package init(
        _ settings: PostgresSettings, replyLimit: Duration = .seconds(5), peerLimit: Duration = .seconds(5)
    ) {
        var settings = settings
        settings.replyLimit = replyLimit
        settings.statementLimit = replyLimit
        settings.connectLimit = min(settings.connectLimit, .seconds(3))
        settings.peerLimit = peerLimit
        self.settings = settings
    }

    // Nobody can enqueue a job any more.
    deinit { thread.stop() }

    package func balance(_ partitions: [Partition]) throws(StoreError) -> PartitionAssignment {
        do {
            let session: PartitionLockSession
            switch state {
            case .holding(let held): session = held
            case .lost(let error): throw error
            case .away: session = try PartitionLockSession(settings)
            }
            state = .holding(session)
            return try session.balance(partitions)
        } catch {
            state = .away
            throw StoreError(error)
        }
    }

    /// If this fails everything is lost, and the next `balance` throws.
    package func release(_ partitions: some Sequence<Partition> & Sendable) {
        guard case .holding(let session) = state else { return }
        do {
            try session.release(Array(partitions))
        } catch {
            state = .lost(StoreError(error))
        }
    }

    package func leave() {
        // The server ends the session a moment after it is closed; whoever comes next should not have to wait for that.
        if case .holding(let session) = state { try? session.releaseAll() }
        state = .away
    }
}
