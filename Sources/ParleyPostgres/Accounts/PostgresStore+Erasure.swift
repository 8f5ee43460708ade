package import ParleyModel

extension PostgresStore {
    /// How many messages are erased in one transaction.
    private static let erasedAtOnce = 500
    /// A transaction that meets others is tried again this often in all.
    private static let attempts = 4

    package func erase(_ user: UserID, at milliseconds: Int64) async throws(StoreError) -> Bool {
        let name = Parameter.text(User.erased(user).name)
        let isKnown = try await pool.perform(.account) { connection in
            let answers = try connection.run([
                Statement.begin(), Locks.erasure(),
                ErasureQueries.user(name, .int(milliseconds), .text(user.text)),
                ErasureQueries.sessions(.text(user.text)), ErasureQueries.memberships(.text(user.text)),
                Statement.commit(),
            ])
            return answers[2].count == 1
        }
        guard isKnown else { return false }
        // From here on nothing of this user's is stored with a text or a name.
        try await run(
            .account, ErasureQueries.names(name, .text(user.text)),
            ErasureQueries.rejects(.bytes(Array("\"user_id\":\"\(user)\"".utf8))))
        var place: ExportPlace?
        repeat {
            let start = place
            place = try await pool.perform(.account) { try Self.eraseMessages(of: user, after: start, $0) }
        } while place != nil
        return true
    }

    /// Erases some messages of a user.
    /// - Returns: where to go on; `nil` if all are erased.
    private static func eraseMessages(
        of user: UserID, after place: ExportPlace?, _ connection: PostgresConnection
    ) throws -> ExportPlace? {
        let page = try export(of: user, after: place, limit: erasedAtOnce, connection)
        let left = page.messages.filter { $0.message?.isErased == false }
        guard !left.isEmpty else { return page.next }
        let (threads, seqs) = (Parameter.texts(left.map(\.thread.text)), Parameter.ints(left.map(\.position.seq)))
        let calls = [
            ErasureQueries.messages(.text(User.erased(user).name), threads, seqs),
            WriteQueries.forgetReactions(threads, seqs),
            WriteQueries.forgetEdits(threads, .texts(left.compactMap { $0.message?.id.text })),
        ]
        var attempt = 1
        while true {
            do {
                try connection.run(calls)
                return page.next
            } catch {
                guard error.isCollision, attempt < attempts, connection.recover() else { throw error }
                attempt += 1
            }
        }
    }
}
