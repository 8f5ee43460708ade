import ParleyModel

/// The owner of one connection: an actor on a thread of its own, which connects when it must.
actor ConnectionOwner {
    private nonisolated let thread: ConnectionThread
    private let settings: PostgresSettings
    /// Shared by all owners of a pool, since they have one server.
    private let health: ServerHealth
    private var connection: PostgresConnection?

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(_ settings: PostgresSettings, health: ServerHealth, number: Int) {
        self.settings = settings
        self.health = health
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
            defer { if !connection.recover() { lose(connection) } }
            return try body(connection)
        } catch {
            throw StoreError(error)
        }
    }

    /// Ends the session with the server.
    func disconnect() {
        if connection != nil { health.closed() }
        connection = nil
    }

    private func connected() throws(PostgresError) -> PostgresConnection {
        if let connection {
            // What went away while it was idle, as at a restart of the server, costs no call.
            if connection.isReady { return connection }
            lose(connection)
        }
        try health.pass()
        do {
            let new = try PostgresConnection(settings)
            health.connected()
            connection = new
            return new
        } catch {
            health.failed(error)
            throw error
        }
    }

    private func lose(_ lost: PostgresConnection) {
        health.lost(.lost(lost.lastWords))
        connection = nil
    }
}
