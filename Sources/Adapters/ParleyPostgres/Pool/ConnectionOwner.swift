import ParleyModel

/// Owns one connection: an actor on a dedicated thread that connects on demand.
actor ConnectionOwner {
    private nonisolated let thread: ConnectionThread
    private let settings: PostgresSettings
    /// Shared by all owners of a pool, since they use the same server.
    private let health: ServerHealth
    private var connection: PostgresConnection?

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(_ settings: PostgresSettings, health: ServerHealth, number: Int) {
        self.settings = settings
        self.health = health
        thread = ConnectionThread(name: "postgres-\(number)")
    }

    // No more jobs can be enqueued.
    deinit { thread.stop() }

    /// Runs `body`, which only blocks this owner's thread. A transaction that is still open afterwards is rolled back.
    /// - Parameter statementLimit: the maximum time for each statement; `nil` selects the limit of the settings.
    func perform<Value: Sendable>(
        statementLimit: Duration?, _ body: @Sendable (PostgresConnection) throws -> Value
    ) throws(StoreError) -> Value {
        do {
            let connection = try connected()
            connection.statementLimit = statementLimit
            defer {
                connection.statementLimit = nil
                if !connection.recover() { lose(connection) }
            }
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
            // Replaces a connection that was lost while idle, as by a restart of the server, without failing the call.
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
        health.lost(.lost(lost.lossReason))
        connection = nil
    }
}
