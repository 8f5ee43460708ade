package import ParleyModel
import ParleyStorage

extension ModelDatabase: AccountAdministration {
    package func importRecords(
        _ records: [ImportRecord], origin: AccountOrigin, by actor: AuditActor?, at milliseconds: Int64
    ) async throws(StoreError) -> [ImportOutcome] {
        let nameLook = nameLook
        return try await write(.account) { tables, _ in
            let outcomes = try Importer.run(records, origin: origin, on: &tables, at: milliseconds, nameLook)
            guard let actor else { return outcomes }
            for case (.user(let user, _), .added) in zip(records, outcomes) {
                tables.note(AuditRules.accountCreated(user.id, by: actor), at: milliseconds)
            }
            return outcomes
        }
    }

    package func operatorStatus(of user: UserID) async throws(StoreError) -> OperatorStatus? {
        try await read(.account) { tables in
            guard let row = tables.users[user], row.isPresent else { return nil }
            return OperatorStatus(isGranted: row.operatorSince != nil, origin: row.origin)
        }
    }

    package func operators(limit: Int) async throws(StoreError) -> [User] {
        try await users(limit) { $0.operatorSince != nil }
    }

    package func users(prefix: String, limit: Int) async throws(StoreError) -> [User] {
        try await users(limit) { ByteText($0.name).hasPrefix(prefix) }
    }

    /// In the byte order of their names.
    private func users(_ limit: Int, where matches: @Sendable (UserRow) -> Bool) async throws(StoreError) -> [User] {
        try await read(.account) { tables in
            let found = tables.users.values.filter { $0.isPresent && matches($0) }
            return found.sorted { ByteText($0.name) < ByteText($1.name) }.prefix(max(limit, 0)).map(\.user)
        }
    }

    package func threads(prefix: String, limit: Int) async throws(StoreError) -> [ThreadInfo] {
        try await read(.page) { Array($0.rooms(prefix: prefix).prefix(max(limit, 0))) }
    }

    // MARK: API keys

    package func createAPIKey(_ key: APIKeyRecord) async throws(StoreError) {
        guard !key.name.utf8.contains(0) else {
            throw .failed("the key's name contains a NUL character, which is not allowed")
        }
        try await write(.account) { tables, context in
            guard tables.apiKeys[key.hash] == nil, tables.apiKey(named: key.name) == nil else { throw StoreError.taken }
            tables.apiKeys[key.hash] = key
            tables.raise(key.hash)
            tables.note(AuditRules.keyCreated(key.name), at: context.now)
        }
    }

    package func apiKeys(limit: Int) async throws(StoreError) -> [APIKeyRecord] {
        try await read(.account) { tables in
            Array(tables.apiKeys.values.sorted { ByteText($0.name) < ByteText($1.name) }.prefix(max(limit, 0)))
        }
    }

    package func apiKeys(_ hashes: [TokenHash]) async throws(StoreError) -> [TokenHash: APIKeyRecord] {
        try await lookUp(hashes) { tables, hash in tables.apiKeys[hash] }
    }

    package func revokeAPIKey(named name: String) async throws(StoreError) -> Bool {
        try await write(.account) { tables, context in
            guard let key = tables.apiKey(named: name) else { return false }
            tables.apiKeys[key.hash] = nil
            tables.raise(key.hash)
            tables.note(AuditRules.keyRevoked(name), at: context.now)
            return true
        }
    }
}

extension Tables {
    /// In the byte order of their titles.
    func rooms(prefix: String) -> [ThreadInfo] {
        let found = threads.values.filter { row in row.title.map { ByteText($0).hasPrefix(prefix) } ?? false }
        return found.map(\.info).sorted {
            (ByteText($0.title), ByteText($0.id.text)) < (ByteText($1.title), ByteText($1.id.text))
        }
    }

    fileprivate func apiKey(named name: String) -> APIKeyRecord? {
        apiKeys.values.first { ByteText($0.name) == ByteText(name) }
    }
}
