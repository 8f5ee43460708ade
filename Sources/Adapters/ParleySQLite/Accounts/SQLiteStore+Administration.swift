import GRDB
package import ParleyModel
import ParleyStorage

extension SQLiteStore: AccountAdministration {
    /// Imports users, threads and members. Names and titles are compared byte by byte.
    package func importRecords(
        _ records: [ImportRecord], origin: AccountOrigin, by actor: AuditActor?, at milliseconds: Int64
    ) async throws(StoreError) -> [ImportOutcome] {
        let nameLook = nameLook
        return try await write { db in
            let importer = Importer(db: db, origin: origin, actor: actor, now: milliseconds, nameLook: nameLook)
            return try records.map(importer.add)
        }
    }

    package func operatorStatus(of user: UserID) async throws(StoreError) -> OperatorStatus? {
        try await read { db in
            try db.first(AccountQueries.operatorStatus, [user.text]) {
                let origin: String? = $0[1]
                // An origin written by a newer version is treated as unknown.
                return OperatorStatus(isGranted: $0[0], origin: origin.flatMap { AccountOrigin(rawValue: $0) })
            }
        }
    }

    package func operators(limit: Int) async throws(StoreError) -> [User] {
        try await read { db in
            try db.all(AccountQueries.operators, [max(limit, 0)]) { User(id: UserID(trusted: $0[0]), name: $0[1]) }
        }
    }

    package func users(prefix: String, limit: Int) async throws(StoreError) -> [User] {
        guard !prefix.utf8.contains(0) else { return [] }
        return try await read(.reading) { db in
            try db.all(AccountQueries.usersByPrefix, [prefix, max(limit, 0)]) {
                User(id: UserID(trusted: $0[0]), name: $0[1])
            }
        }
    }

    package func threads(prefix: String, limit: Int) async throws(StoreError) -> [ThreadInfo] {
        guard !prefix.utf8.contains(0) else { return [] }
        return try await read(.reading) { db in
            try db.all(AccountQueries.roomsByPrefix, [prefix, max(limit, 0)]) { try $0.threadInfo(0) }
        }
    }

    package func createAPIKey(_ key: APIKeyRecord) async throws(StoreError) {
        try StoredText.refuseNUL(in: key.name, as: "key's name")
        let now = clock.milliseconds
        try await write { db in
            try Self.orTaken {
                try db.run(AccountQueries.insertAPIKey, [key.hash.text, key.name, key.created])
            }
            try Self.insert(AuditRules.keyCreated(key.name), at: now, in: db)
        }
    }

    package func apiKeys(limit: Int) async throws(StoreError) -> [APIKeyRecord] {
        try await read { db in
            try db.all(AccountQueries.apiKeysByName, [max(limit, 0)], Self.apiKey)
        }
    }

    package func revokeAPIKey(named name: String) async throws(StoreError) -> Bool {
        guard !name.utf8.contains(0) else { return false }
        let now = clock.milliseconds
        return try await write { db in
            try db.run(AccountQueries.deleteAPIKey, [name])
            guard db.changesCount > 0 else { return false }
            try Self.insert(AuditRules.keyRevoked(name), at: now, in: db)
            return true
        }
    }

    /// Decodes a row of hash, name and date.
    static func apiKey(_ row: Row) -> APIKeyRecord {
        APIKeyRecord(name: row[1], hash: TokenHash(row[0]), created: row[2])
    }
}
