package import ParleyModel
package import ParleyStorage
import Synchronization

/// A node's access to a `ModelServer`: every port of a store, with the answers of PostgreSQL.
///
/// - What `ParleyStorage` decides is decided there. The rest follows the statements of ParleyPostgres; where they leave an
///   order open, the model has one of its own.
/// - A page of messages, an export and the change feed are read at one instant, where PostgreSQL uses several statements.
/// - A search finds words of letters and digits; PostgreSQL also knows addresses, numbers and the like.
package final class ModelDatabase: Sendable {
    let server: ModelServer
    let client: String
    /// The node's clock; decides which sessions are long expired.
    let clock: WallClock
    let contentKey: ContentKey?
    let nameLook: NameLook.Rule
    private let hook: (any DatabaseHook)?
    private let isClosed = Atomic(false)

    /// - Parameters:
    ///   - client: the name by which the server and the hook know the node.
    ///   - clock: the node's clock.
    ///   - contentKey: the key of the digests of deleted messages.
    ///   - nameLook: makes the looks of new names.
    ///   - hook: decides delays and faults; `nil` for none.
    package init(
        _ server: ModelServer, client: String, clock: WallClock = .system, contentKey: ContentKey? = nil,
        nameLook: @escaping NameLook.Rule = NameLook.byCase, hook: (any DatabaseHook)? = nil
    ) {
        self.server = server
        self.client = client
        self.clock = clock
        self.contentKey = contentKey
        self.nameLook = nameLook
        self.hook = hook
    }

    // MARK: Transactions

    private func perform<Value: Sendable>(
        _ kind: DatabaseCall.Kind, isWrite: Bool,
        _ body: @Sendable (inout ModelServer.State, _ now: Int64) throws -> Value
    ) async throws(StoreError) -> Value {
        guard !isClosed.load(ordering: .relaxed) else { throw .unavailable("the store is closed") }
        let call = DatabaseCall(client: client, kind: kind, isWrite: isWrite)
        let course = try await hook?.before(call) ?? .run
        let result = server.run(course, body)
        try await hook?.after(call)
        return try result.get()
    }

    func read<Value: Sendable>(
        _ kind: DatabaseCall.Kind, _ body: @Sendable (Tables) throws -> Value
    ) async throws(StoreError) -> Value {
        try await perform(kind, isWrite: false) { state, _ in try body(state.tables) }
    }

    /// Runs a transaction that also depends on the server's present start, or on its clock.
    func readServer<Value: Sendable>(
        _ kind: DatabaseCall.Kind, _ body: @Sendable (ModelServer.State, _ now: Int64) throws -> Value
    ) async throws(StoreError) -> Value {
        try await perform(kind, isWrite: false) { state, now in try body(state, now) }
    }

    /// - Parameter body: must not change anything before it throws.
    func write<Value: Sendable>(
        _ kind: DatabaseCall.Kind, _ body: @Sendable (inout Tables, TransactionContext) throws -> Value
    ) async throws(StoreError) -> Value {
        let key = contentKey
        return try await perform(kind, isWrite: true) { state, now in
            try body(&state.tables, TransactionContext(now: now, contentKey: key))
        }
    }

    func now() async throws(StoreError) -> Int64 {
        try await perform(.time, isWrite: false) { _, now in now }
    }
}

extension ModelDatabase: CompleteStore {
    package func migrate() async throws(StoreError) { _ = try await now() }
    package func check() async throws(StoreError) { _ = try await now() }
    package func close() { isClosed.store(true, ordering: .relaxed) }
    package var failsWhole: Bool { false }
    package var writerExecutor: (any TaskExecutor)? { nil }
    package func maintain() async {}
}

extension ModelDatabase: TimeSource {
    package func databaseMilliseconds() async throws(StoreError) -> Int64 { try await now() }
}
