import GRDB
package import ParleyModel

extension SQLiteStore {
    package func takenNames(_ looks: [NameLook]) async throws(StoreError) -> Set<NameLook> {
        guard !looks.isEmpty else { return [] }
        return try await read { db in Set(try looks.filter { try Self.isTaken($0, in: db) }) }
    }

    static func isTaken(_ look: NameLook, in db: Database) throws -> Bool {
        guard let first = look.keys.first, let last = look.keys.last else { return false }
        return try Bool.fetchOne(
            db.cachedStatement(sql: AccountQueries.lookIsTaken), arguments: [first, last, look.plain]) ?? false
    }
}
