import ParleyModel

/// What a process is connected to: the database, log and bus, and perhaps a Django site's database.
struct Adapters {
    let database: any Database
    let backend: any LogBackend
    let django: (any DjangoDirectory)?

    /// Opens the database, then connects the rest.
    init(_ parts: Parts, for role: Role) async throws {
        database = try await parts.openDatabase(for: role)
        backend = parts.makeBackend(store: database)
        try await backend.start(subscribes: role.hasSockets)
        django = try await parts.openDjango()
    }

    /// Why the process can serve nothing at the moment; empty if it can serve something. An unavailable Django database
    /// is no reason.
    func problems() async -> [String] {
        do { try await database.check() } catch { return ["database: \(error)"] }
        return []
    }

    /// Closes the connections; called after all their users have stopped.
    func close() async {
        await backend.stop()
        await django?.close()
        try? await database.close()
    }
}
