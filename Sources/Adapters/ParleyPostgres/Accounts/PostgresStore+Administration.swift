package import ParleyModel
import ParleyStorage

extension PostgresStore: AccountAdministration {
    /// Imports users, threads and members. Names and titles are compared byte by byte. Imports into one database run
    /// one at a time.
    package func importRecords(
        _ records: [ImportRecord], origin: AccountOrigin, by actor: AuditActor?, at milliseconds: Int64
    ) async throws(StoreError) -> [ImportOutcome] {
        let nameLook = nameLook
        return try await pool.perform(.account) {
            try Importer.run(records, origin: origin, by: actor, on: $0, at: milliseconds, nameLook: nameLook)
        }
    }

    package func operatorStatus(of user: UserID) async throws(StoreError) -> OperatorStatus? {
        try await rows(.account, AdministrationQueries.operatorStatus(.text(user.text))) { row in
            // An origin written by a newer version is treated as unknown.
            let origin = try row.optionalText(1).flatMap { AccountOrigin(rawValue: $0) }
            return OperatorStatus(isGranted: try row.bool(0), origin: origin)
        }.first
    }

    package func operators(limit: Int) async throws(StoreError) -> [User] {
        try await rows(.account, AdministrationQueries.operators(.int(Int64(max(limit, 0))))) { row in
            User(id: UserID(trusted: try row.text(0)), name: try row.text(1))
        }
    }

    package func users(prefix: String, limit: Int) async throws(StoreError) -> [User] {
        guard !prefix.utf8.contains(0) else { return [] }
        return try await rows(.list, AdministrationQueries.usersByPrefix(.text(prefix), .int(Int64(max(limit, 0))))) {
            row in
            User(id: UserID(trusted: try row.text(0)), name: try row.text(1))
        }
    }

    package func threads(prefix: String, limit: Int) async throws(StoreError) -> [ThreadInfo] {
        guard !prefix.utf8.contains(0) else { return [] }
        return try await rows(.list, AdministrationQueries.roomsByPrefix(.text(prefix), .int(Int64(max(limit, 0))))) {
            row in
            try row.threadInfo(0)
        }
    }

    package func createAPIKey(_ key: APIKeyRecord) async throws(StoreError) {
        guard !key.name.utf8.contains(0) else {
            throw .failed("the key's name contains a NUL character, which is not allowed")
        }
        try await change { transaction in
            _ = try transaction.connection.run(
                Pipeline(
                    Statement.begin(),
                    AdministrationQueries.insertAPIKey(.text(key.hash.text), .text(key.name), .int(key.created)),
                    AuditQueries.insertion(of: AuditRules.keyCreated(key.name), at: transaction.now),
                    Statement.commit()))
        }
    }

    package func apiKeys(limit: Int) async throws(StoreError) -> [APIKeyRecord] {
        try await rows(.account, AdministrationQueries.apiKeysByName(.int(Int64(max(limit, 0)))), Self.apiKey)
    }

    package func apiKeys(_ hashes: [TokenHash]) async throws(StoreError) -> [TokenHash: APIKeyRecord] {
        guard !hashes.isEmpty else { return [:] }
        let found = try await rows(.account, AdministrationQueries.apiKeys(.texts(hashes.map(\.text))), Self.apiKey)
        return found.reduce(into: [:]) { $0[$1.hash] = $1 }
    }

    package func revokeAPIKey(named name: String) async throws(StoreError) -> Bool {
        guard !name.utf8.contains(0) else { return false }
        return try await change { transaction in
            var pipeline = Pipeline(Statement.begin())
            let deleted = pipeline.add(AdministrationQueries.deleteAPIKey(.text(name)))
            guard try transaction.connection.run(pipeline).count(deleted) > 0 else { return false }
            try transaction.connection.run(
                Pipeline(
                    AuditQueries.insertion(of: AuditRules.keyRevoked(name), at: transaction.now), Statement.commit()))
            return true
        }
    }

    /// Decodes a row of hash, name and date.
    private static let apiKey: @Sendable (Row) throws -> APIKeyRecord = { row in
        APIKeyRecord(name: try row.text(1), hash: TokenHash(try row.text(0)), created: try row.int(2))
    }
}
