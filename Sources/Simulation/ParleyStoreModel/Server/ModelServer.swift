package import ParleyModel
import ParleyStorage
import Synchronization

/// A model of a PostgreSQL server with Parley's tables, in memory.
///
/// - A transaction takes effect at one instant, its commit. PostgreSQL's transactions hold locks on what they have read
///   until then, so that to callers of the ports they are the same as transactions that run one by one.
/// - All tables are one value: a snapshot costs nothing, and the database can go back to it.
/// - Sessions with advisory locks belong to the server, not to the tables.
///
/// A lock protects the state; nothing waits while it is held. Unbounded, as a simulated life is short.
package final class ModelServer: Sendable {
    struct State: Sendable {
        var tables = Tables()
        var sessions = LockSessions()
        /// Rises with each start of the server. Marks of the change feed are valid for one start only.
        var start = 1
    }

    /// The time until a host that vanished without closing its connection loses its locks, in milliseconds.
    package static let peerLimit: Int64 = 5000

    private let state = Mutex(State())
    /// The server's clock.
    let clock: WallClock

    package init(clock: WallClock = .system) {
        self.clock = clock
    }

    // MARK: Faults

    /// A state of the tables.
    package struct Snapshot: Sendable {
        package let tables: Tables
    }

    package func snapshot() -> Snapshot { state.withLock { Snapshot(tables: $0.tables) } }

    /// Changes rows as another program does, in a transaction.
    package func edit(_ edit: RowEdit) {
        let now = clock.milliseconds
        state.withLock { state in
            state.tables.apply(edit, at: now)
            state.tables.commit()
        }
    }

    /// Goes back to an earlier state of the tables, as a restore from a backup does. Ends all sessions.
    package func restore(_ snapshot: Snapshot) {
        state.withLock { state in
            state.tables = snapshot.tables
            state.restart()
        }
    }

    /// Ends all sessions, as a restart of the server does.
    package func restart() {
        state.withLock { $0.restart() }
    }

    /// Ends the sessions of a client, as when its process is killed: its locks are free at once.
    package func endSessions(of client: String) {
        state.withLock { $0.sessions.end(of: client) }
    }

    /// Lets the sessions of a client end after `peerLimit`, as when its host is gone.
    package func abandonSessions(of client: String) {
        let end = clock.milliseconds + Self.peerLimit
        state.withLock { $0.sessions.abandon(of: client, until: end) }
    }

    // MARK: Transactions

    /// Runs a transaction.
    /// - Parameter body: must not change anything before it throws.
    func run<Value: Sendable>(
        _ course: DatabaseCall.Course, _ body: (inout State, _ now: Int64) throws -> Value
    ) -> Result<Value, StoreError> {
        let now = clock.milliseconds
        return state.withLock { state in
            if case .rollBack(let error) = course {
                var lost = state
                _ = try? body(&lost, now)
                state.tables.lastOutboxID = lost.tables.lastOutboxID
                return .failure(error)
            }
            do {
                let value = try body(&state, now)
                state.tables.commit()
                return .success(value)
            } catch let error as StoreError {
                return .failure(error)
            } catch {
                return .failure(.failed("\(error)"))
            }
        }
    }
}

extension ModelServer.State {
    fileprivate mutating func restart() {
        start += 1
        sessions = LockSessions(after: sessions)
    }
}
