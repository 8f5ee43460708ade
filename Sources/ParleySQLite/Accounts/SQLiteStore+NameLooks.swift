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

    /// Adds the looks of names from before there were any.
    func fillLooks() async throws(StoreError) {
        let nameLook = nameLook
        var last = ""
        while true {
            let after = last
            let next = try await write { db in
                let users = try Row.fetchAll(
                    db.cachedStatement(sql: AccountQueries.usersWithoutLook), arguments: [after, 500]
                ).map { (id: $0[0] as String, name: $0[1] as String) }
                for user in users {
                    let look = nameLook(user.name)
                    try db.cachedStatement(sql: AccountQueries.setLook)
                        .execute(arguments: [look.keys.first, look.keys.dropFirst().first, user.id])
                }
                return users.last?.id
            }
            guard let next else { return }
            last = next
        }
    }
}
