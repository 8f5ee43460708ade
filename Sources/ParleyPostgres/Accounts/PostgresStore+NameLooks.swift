package import ParleyModel

extension PostgresStore {
    package func takenNames(_ looks: [NameLook]) async throws(StoreError) -> Set<NameLook> {
        guard !looks.isEmpty else { return [] }
        return try await pool.perform(.account) { connection in
            let replies = try connection.run(looks.map(Self.isTaken))
            return Set(try zip(looks, replies).filter { try $0.1.first?.bool(0) == true }.map(\.0))
        }
    }

    static func isTaken(_ look: NameLook) -> Call {
        NameLookQueries.isTaken(.text(look.keys.first), .text(look.keys.last), .text(look.plain))
    }

    /// Creates a user who chose the name. The lock is held until the transaction ends; a statement after it sees what
    /// others have committed before they released it.
    /// - Throws: `taken`.
    func createChosen(_ look: NameLook, _ insert: Call) async throws(StoreError) {
        let isCreated = try await pool.perform(.account) { connection in
            let replies = try connection.run([
                Statement.begin(), NameLookQueries.lock(.texts(look.keys)), Self.isTaken(look),
            ])
            let isTaken = try replies[2].first?.bool(0) == true
            try connection.run(isTaken ? [Statement.commit()] : [insert, Statement.commit()])
            return !isTaken
        }
        guard isCreated else { throw .taken }
    }
}
