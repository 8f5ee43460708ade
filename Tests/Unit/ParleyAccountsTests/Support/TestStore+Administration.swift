import ParleyModel

/// Unused in these tests.
extension TestStore {
    func importRecords(
        _ records: [ImportRecord], origin: AccountOrigin, by actor: AuditActor?, at milliseconds: Int64
    ) async throws(StoreError) -> [ImportOutcome] {
        throw .failed("not part of these tests")
    }

    func operatorStatus(of user: UserID) async throws(StoreError) -> OperatorStatus? {
        throw .failed("not part of these tests")
    }

    func operators(limit: Int) async throws(StoreError) -> [User] {
        throw .failed("not part of these tests")
    }

    func auditEntries(_ filter: AuditFilter, before id: Int64?, limit: Int) async throws(StoreError) -> [AuditEntry] {
        throw .failed("not part of these tests")
    }

    func pruneAudit(before milliseconds: Int64, limit: Int) async throws(StoreError) -> Int {
        throw .failed("not part of these tests")
    }

    func suspensions(at now: Int64, after user: UserID?, limit: Int) async throws(StoreError) -> [SuspensionRecord] {
        throw .failed("not part of these tests")
    }

    func users(prefix: String, limit: Int) async throws(StoreError) -> [User] {
        throw .failed("not part of these tests")
    }

    func threads(prefix: String, limit: Int) async throws(StoreError) -> [ThreadInfo] {
        throw .failed("not part of these tests")
    }

    func createAPIKey(_ key: APIKeyRecord) async throws(StoreError) {
        throw .failed("not part of these tests")
    }

    func apiKeys(limit: Int) async throws(StoreError) -> [APIKeyRecord] {
        throw .failed("not part of these tests")
    }

    func revokeAPIKey(named name: String) async throws(StoreError) -> Bool {
        throw .failed("not part of these tests")
    }
}
