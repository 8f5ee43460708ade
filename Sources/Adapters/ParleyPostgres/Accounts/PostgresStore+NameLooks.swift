package import ParleyModel

extension PostgresStore {
    package func takenNames(_ looks: [NameLook]) async throws(StoreError) -> Set<NameLook> {
        guard !looks.isEmpty else { return [] }
        return try await pool.perform(.account) { connection in
            var pipeline = Pipeline()
            let asked = looks.map { ($0, isTaken: pipeline.add(Self.isTaken($0))) }
            let replies = try connection.run(pipeline)
            return Set(try asked.filter { try replies.first($0.isTaken) == true }.map(\.0))
        }
    }

    static func isTaken(_ look: NameLook) -> TypedCall<Bool> {
        NameLookQueries.isTaken(.text(look.keys.first), .text(look.keys.last), .text(look.plain))
    }

    /// Creates a user who chose the name. The transaction holds the lock until it ends. The next statement after the
    /// lock sees the rows that earlier holders committed.
    /// - Throws: `taken` if another user has the look.
    func createChosen(_ look: NameLook, _ insertions: [Call]) async throws(StoreError) {
        let isCreated = try await pool.perform(.account) { connection in
            var pipeline = Pipeline(Statement.begin(), NameLookQueries.lock(.texts(look.keys)))
            let taken = pipeline.add(Self.isTaken(look))
            let isTaken = try connection.run(pipeline).first(taken) == true
            pipeline = Pipeline()
            if !isTaken { pipeline.add(insertions) }
            pipeline.add(Statement.commit())
            try connection.run(pipeline)
            return !isTaken
        }
        guard isCreated else { throw .taken }
    }
}
