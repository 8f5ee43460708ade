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

    /// Why the process cannot serve at the moment; empty if it can. An unavailable Django database is no reason.
    func problems() async -> [String] {
        var reasons: [String] = []
        do { try await database.check() } catch { reasons.append("database: \(error)") }
        return reasons + (await backend.problems())
    }

    /// Closes the connections; called after all their users have stopped.
    func close() async {
        await backend.stop()
        await django?.close()
        try? await database.close()
    }
}
