package import ParleyModel

/// Assigns partitions to persisters by means of advisory locks in a dedicated session.
///
/// - The locks end with the session. A killed process releases all of them as soon as its socket is closed. If its host
///   is down or cut off, the locks are released within `peerLimit`. A process that hangs keeps its locks.
/// - All persisters share one lock, and `pg_locks` shows their number.
/// - The lock names contain the schema, so that two installations in one database are independent.
/// - The session must be permanent: a pooler between client and server must not switch sessions (PgBouncer:
///   `pool_mode = session`). A switch is detected and throws an error.
///
/// The actor isolates the state. Only the actor's thread waits for the server, for at most `connectLimit` per host and
/// `replyLimit` per call.
package actor PostgresPartitionLocks: PartitionLocks {
    private enum State {
        case disconnected
        case holding(PartitionLockSession)
        /// All locks were lost; the next `balance` must report it.
        case lost(StoreError)
    }

    private nonisolated let thread = ConnectionThread(name: "postgres-locks")
    private let settings: PostgresSettings
    private var state = State.disconnected

    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// Creates the locks. The first `balance` connects.
    /// - Parameters:
    ///   - settings: the address. The limits below replace its own.
    ///   - replyLimit: the maximum time for a reply, after which all locks count as lost.
    ///   - peerLimit: the time after which the kernel of either host closes the connection because the other host is
    ///     gone; whole seconds, at least 4.
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

    // No more jobs can be enqueued.
    deinit { thread.stop() }

    package func balance(_ partitions: [Partition]) throws(StoreError) -> PartitionAssignment {
        do {
            let session: PartitionLockSession
            switch state {
            case .holding(let held): session = held
            case .lost(let error): throw error
            case .disconnected: session = try PartitionLockSession(settings)
            }
            state = .holding(session)
            return try session.balance(partitions)
        } catch {
            state = .disconnected
            throw StoreError(error)
        }
    }

    /// Releases partitions. If this fails, all locks are lost, and the next `balance` throws.
    package func release(_ partitions: some Sequence<Partition> & Sendable) {
        guard case .holding(let session) = state else { return }
        do {
            try session.release(Array(partitions))
        } catch {
            state = .lost(StoreError(error))
        }
    }

    package func leave() {
        // The server may end the session some time after the connection is closed. The explicit release spares the next
        // persister that wait.
        if case .holding(let session) = state { try? session.releaseAll() }
        state = .disconnected
    }
}
