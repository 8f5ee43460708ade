package import Logging
import Metrics
package import ParleyModel
import Synchronization

/// The tables of a Django site in PostgreSQL. Only requires `SELECT` on them.
package final class PostgresDjango: DjangoDirectory {
    private let pool: ConnectionPool
    private let model: DjangoUserModel
    /// Created on the first lookup, from the columns in the database.
    private let queries = Mutex<DjangoQueries?>(nil)

    /// Creates the directory; it connects on the first call.
    package init(_ settings: PostgresSettings, model: DjangoUserModel, logger: Logger) {
        // The metrics `parley_postgres_*` describe Parley's own database only.
        pool = ConnectionPool(
            settings, metrics: PostgresMetrics(factory: NOOPMetricsHandler.instance), logger: logger)
        self.model = model
    }

    package func sessions(_ keys: [String]) async throws(StoreError) -> [String: String] {
        let keys = keys.filter { !$0.utf8.contains(0) }
        guard !keys.isEmpty else { return [:] }
        let found = try await pool.perform(.lookUp) { connection in
            try connection.run(DjangoQueries.sessions(.texts(keys)))
        }
        return found.reduce(into: [:]) { $0[$1.key] = $1.data }
    }

    package func users(_ keys: [String]) async throws(StoreError) -> [String: DjangoUser] {
        let queries = try await layout()
        let keys = keys.filter(queries.canBeKey)
        guard !keys.isEmpty else { return [:] }
        let found = try await pool.perform(.lookUp) { connection in
            try connection.run(queries.users(.texts(keys)))
        }
        return found.reduce(into: [:]) { $0[$1.key] = $1.user }
    }

    package func check() async throws(StoreError) {
        let queries = try await layout()
        try await pool.perform(.schema) { connection in
            _ = try connection.run(DjangoQueries.sessions(.texts([])))
            _ = try connection.run(queries.users(.texts([])))
        }
    }

    package func close() async {
        await pool.close()
    }

    private func layout() async throws(StoreError) -> DjangoQueries {
        if let known = queries.withLock(\.self) { return known }
        let model = model
        let found = try await pool.perform(.schema) { connection in
            try connection.run(DjangoQueries.columns(.text(model.quotedTable)))
        }
        guard let read = DjangoQueries(model, columns: found) else {
            throw .failed("the Django site's database has no table \(model.table) with a primary key of one column")
        }
        queries.withLock { $0 = read }
        return read
    }
}
