import Logging
import NIOCore
import ParleyAccounts
import ParleyModel
import ParleyStorage

/// The adapters of a process: the database, log and bus, and, if there is one, a Django site's database.
struct Adapters {
    let database: any Database
    let backend: any LogBackend
    let django: (any DjangoDirectory)?

    /// The reasons that the process can serve nothing at the moment; empty if it can serve something. An unavailable
    /// Django database does not count.
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

extension NodeBase {
    /// The time in seconds that a role waits at its start for an unavailable database. A gateway also waits for a
    /// persister or `parley migrate` to create the tables and the lobby.
    private static let timeout = 30

    /// Opens the database. Roles that write to it migrate its tables; the others wait for that.
    func openDatabase() async throws -> any Database {
        let database = try settings.database.open(
            clock: clock, logger: logger, metrics: registry,
            contentKey: ContentKey(secret: settings.accounts.secret.bytes))
        try await retryUntilReady { () throws(StoreError) in
            if role.stores { try await database.migrate() } else { try await database.check() }
            // Before anything is dated.
            try await databaseClock.compare { () throws(StoreError) in try await database.databaseMilliseconds() }
        }
        return database
    }

    /// Opens log and bus, either on Redis or in the memory of this process.
    func openBackend(store: any Database) async throws -> any LogBackend {
        let backend: any LogBackend
        if let redis = settings.redis {
            backend = RedisBackend(
                redis, store: store, loops: Array(loops.makeIterator()), clock: clock, logger: logger,
                metrics: registry)
        } else {
            backend = MemoryBackend(store: store, clock: clock, logger: logger)
        }
        try await backend.start(subscribes: role.hasSockets)
        return backend
    }

    /// Opens the database of the Django site whose sessions are accepted, if one is configured.
    ///
    /// The server may be unavailable or have no tables yet; only Django's users then cannot connect. A SQLite file must
    /// exist.
    func openDjango() async throws -> (any DjangoDirectory)? {
        guard let site = settings.django else { return nil }
        let directory = WatchedDjango(try site.open(logger: logger), metrics: registry)
        do {
            try await directory.check()
        } catch {
            logger.warning(
                "Django sessions cannot be read; until they can, requests with a Django cookie get 503",
                metadata: ["database": "\(site.database)", "reason": "\(error)"])
        }
        return directory
    }

    /// The room of the line listener. Roles that write to the database create it; the others wait for that.
    func lobby(in database: any Database) async throws -> ThreadInfo {
        let title = settings.lobbyTitle
        return try await retryUntilReady { () throws(StoreError) in
            if role.stores {
                return try await database.room(titled: title, newID: ThreadID(UUIDv7(clock)), at: clock.milliseconds)
            }
            guard let lobby = try await database.rooms(titled: [title])[title] else {
                throw .unavailable("no room is titled \(title) yet; a persister creates it")
            }
            return lobby
        }
    }

    /// Retries until the database is ready. Errors that waiting cannot resolve are thrown at once.
    private func retryUntilReady<Value>(_ body: () async throws(StoreError) -> Value) async throws -> Value {
        var second = 0
        while true {
            second += 1
            do {
                return try await body()
            } catch {
                guard case .unavailable(let reason) = error, second < Self.timeout else { throw error }
                if second == 1 {
                    logger.warning("database is not ready, waiting for it", metadata: ["reason": "\(reason)"])
                }
                try await Task.sleep(for: .seconds(1))
            }
        }
    }
}
