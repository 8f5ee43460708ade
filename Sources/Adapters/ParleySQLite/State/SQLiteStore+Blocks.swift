import GRDB
package import ParleyModel
import ParleyStorage

/// Blocks between users.
extension SQLiteStore {
    package func block(
        _ other: UserID, by user: UserID, at milliseconds: Int64
    ) async throws(StoreError) -> BlockOutcome {
        try await change { transaction in
            guard try transaction.isPresent(user), try transaction.isPresent(other) else { return .unknownUser }
            try transaction.run(
                BlockQueries.insert,
                [user.text, other.text, ThreadInfo.directID(user, other).text, milliseconds, UserBlocks.most])
            let since = try Int64.fetchOne(
                transaction.db.cachedStatement(sql: BlockQueries.since), arguments: [user.text, other.text])
            return since.map { .blocked(since: $0) } ?? .tooMany
        }
    }

    package func unblock(_ other: UserID, by user: UserID) async throws(StoreError) -> Bool {
        try await change { transaction in
            try transaction.run(BlockQueries.remove, [user.text, other.text])
            return transaction.db.changesCount == 1
        }
    }

    package func blocks(of user: UserID) async throws(StoreError) -> [BlockRecord] {
        try await read(.reading) { db in
            try db.all(BlockQueries.made, [user.text, UserBlocks.most]) { row in
                BlockRecord(user: User(id: UserID(trusted: row[0]), name: row[1]), since: row[2])
            }
        }
    }

    package func blocks(
        of users: [UserID], against others: [UserID]
    ) async throws(StoreError) -> [UserID: Set<UserID>] {
        let lists: StatementArguments = [Self.json(users.map(\.text)), Self.json(others.map(\.text))]
        return try await read { db in
            let pairs = try db.all(BlockQueries.madeAgainst, lists) { row in
                (user: UserID(trusted: row[0]), blocked: UserID(trusted: row[1]))
            }
            return pairs.reduce(into: [:]) { $0[$1.user, default: []].insert($1.blocked) }
        }
    }

    package func isBlocked(_ one: UserID, _ other: UserID) async throws(StoreError) -> Bool {
        try await read { db in
            try Int.fetchOne(db.cachedStatement(sql: BlockQueries.between), arguments: [one.text, other.text]) != nil
        }
    }

    package func details(of thread: ThreadID) async throws(StoreError) -> RoomDetails? {
        try await read(.reading) { db in
            try db.first(StateQueries.details, [thread.text]) { try $0.details(0) }
        }
    }
}
