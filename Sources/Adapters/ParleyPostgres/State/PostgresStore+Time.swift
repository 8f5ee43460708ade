package import ParleyModel

extension PostgresStore: TimeSource {
    package func databaseMilliseconds() async throws(StoreError) -> Int64 {
        let times = try await rows(.schema, StateQueries.time())
        guard let time = times.first else { throw .unavailable("the database does not tell its time") }
        return time
    }
}
