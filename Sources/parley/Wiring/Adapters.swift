import ParleyModel

/// What a process is connected to: the database, log and bus, and perhaps a Django site's database.
struct Adapters {
    let database: any Database
    let backend: any LogBackend
    let django: (any DjangoDirectory)?

    /// Opens and connects them all, the database first.
    init(_ parts: Parts, for role: Role) async throws {
        database = try await parts.openDatabase(for: role)
        backend = parts.makeBackend(store: database)
        try await backend.start(subscribes: role.hasSockets)
        django = try await parts.openDjango()
    }

    /// Why the process cannot serve at the moment; empty if it can. Django's database is none of the reasons.
    func troubles() async -> [String] {
        var reasons: [String] = []
        do { try await database.check() } catch { reasons.append("database: \(error)") }
        return reasons + (await backend.troubles())
    }

    /// To be called after everybody who uses them is gone.
    func close() async {
        await backend.stop()
        await django?.close()
        try? await database.close()
    }
}
