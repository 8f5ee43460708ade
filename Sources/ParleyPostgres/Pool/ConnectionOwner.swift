import ParleyModel
import Synchronization

/// The owner of one connection: an actor on a thread of its own, which connects when it must.
actor ConnectionOwner {
    private nonisolated let thread: ConnectionThread
    private let settings: PostgresSettings
    /// Shared by all owners of a pool, since they have one server.
    private let gate: ReconnectGateBox
    private var connection: PostgresConnection?

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(_ settings: PostgresSettings, gate: ReconnectGateBox, number: Int) {
        self.settings = settings
        self.gate = gate
        thread = ConnectionThread(name: "postgres-\(number)")
    }

    // Nobody can enqueue a job any more.
    deinit { thread.stop() }

    /// Runs `body`, which blocks this owner's thread and no other. Whatever transaction it leaves open is rolled back.
    func perform<Value: Sendable>(
        _ body: @Sendable (PostgresConnection) throws -> Value
    ) throws(StoreError) -> Value {
        do {
            let connection = try connected()
            defer { if !connection.recover() { self.connection = nil } }
            return try body(connection)
        } catch {
            throw StoreError(error)
        }
    }

    /// Ends the session with the server.
    func disconnect() {
        connection = nil
    }

    private func connected() throws(PostgresError) -> PostgresConnection {
        // What went away while it was idle, as at a restart of the server, costs no call.
        if let connection, connection.isReady { return connection }
        connection = nil
        try gate.pass()
        do {
            let new = try PostgresConnection(settings)
            gate.succeeded()
            connection = new
            return new
        } catch {
            gate.failed(error)
            throw error
        }
    }
}
