package import ParleyModel
import ParleyStorage

/// Assigns partitions to persisters by advisory locks of a session of a `ModelServer`, which end with the session.
///
/// The state is isolated to the actor.
package actor ModelPartitionLocks: PartitionLocks {
    private enum State {
        case disconnected
        case holding(session: Int)
        /// All locks were lost; the next `balance` must report it.
        case lost(StoreError)
    }

    private let server: ModelServer
    private let client: String
    private let hook: (any DatabaseHook)?
    private var state = State.disconnected

    /// - Parameters:
    ///   - client: the name by which the server knows the process.
    ///   - hook: decides delays and faults; `nil` for none.
    package init(_ server: ModelServer, client: String, hook: (any DatabaseHook)? = nil) {
        self.server = server
        self.client = client
        self.hook = hook
    }

    package func balance(_ partitions: [Partition]) async throws(StoreError) -> PartitionAssignment {
        if case .lost(let error) = state {
            state = .disconnected
            throw error
        }
        do throws(StoreError) {
            let session = try await session()
            return try await perform { state throws(StoreError) in
                try Self.check(session, in: state)
                let owned = state.sessions.partitions(of: session)
                let balance = PartitionBalance(
                    of: partitions, owned: owned, locked: state.sessions.locked, members: state.sessions.count)
                state.sessions.lock(Array(balance.free.prefix(balance.missing)), by: session)
                return balance.assignment(owned: state.sessions.partitions(of: session))
            }
        } catch {
            await abandon()
            state = .disconnected
            throw error
        }
    }

    /// Releases partitions. If this fails all locks are lost, and the next `balance` throws.
    package func release(_ partitions: some Sequence<Partition> & Sendable) async {
        guard case .holding(let session) = state else { return }
        let given = Set(partitions)
        do throws(StoreError) {
            try await perform { state throws(StoreError) in
                try Self.check(session, in: state)
                state.sessions.unlock(given, by: session)
            }
        } catch {
            await abandon()
            state = .lost(error)
        }
    }

    package func leave() async {
        guard case .holding(let session) = state else {
            state = .disconnected
            return
        }
        do throws(StoreError) {
            try await perform { $0.sessions.end(session) }
        } catch {
            await abandon()
        }
        state = .disconnected
    }

    /// The session, begun if there is none.
    private func session() async throws(StoreError) -> Int {
        if case .holding(let session) = state { return session }
        let client = client
        let session = try await perform { $0.sessions.begin(client) }
        state = .holding(session: session)
        return session
    }

    /// Gives a session up over whose connection a call has failed, also one that began without an answer. The server
    /// may notice it later.
    private func abandon() async {
        _ = server.run(.run) { [client] state, now in
            state.sessions.abandon(of: client, until: now + ModelServer.peerLimit)
        }
    }

    private func perform<Value: Sendable>(
        _ body: @Sendable (inout ModelServer.State) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let call = DatabaseCall(client: client, kind: .locks, isWrite: true)
        let course = try await hook?.before(call) ?? .run
        let result = server.run(course) { state, now in
            state.sessions.endAbandoned(at: now)
            return try body(&state)
        }
        try await hook?.after(call)
        return try result.get()
    }

    private static func check(_ session: Int, in state: ModelServer.State) throws(StoreError) {
        guard state.sessions.contains(session) else { throw .unavailable("the session was ended") }
    }
}
