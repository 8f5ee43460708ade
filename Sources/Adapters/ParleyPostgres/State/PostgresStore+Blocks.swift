package import ParleyModel

/// Blocks between users.
extension PostgresStore {
    package func block(
        _ other: UserID, by user: UserID, at milliseconds: Int64
    ) async throws(StoreError) -> BlockOutcome {
        try await change { transaction in
            var pipeline = Pipeline(Statement.begin())
            let held = pipeline.add(BlockQueries.hold(.texts([user.text, other.text])))
            guard try transaction.connection.run(pipeline).all(held).count == 2 else {
                try transaction.connection.run(Pipeline(Statement.commit()))
                return .unknownUser
            }
            let (blocker, blocked) = (Parameter.text(user.text), Parameter.text(other.text))
            pipeline = Pipeline(
                BlockQueries.insert(
                    blocker, blocked, .text(ThreadInfo.directID(user, other).text), .int(milliseconds),
                    .int(Int64(UserBlocks.most))))
            let since = pipeline.add(BlockQueries.since(blocker, blocked))
            pipeline.add(Statement.commit())
            return try transaction.connection.run(pipeline).first(since).map { .blocked(since: $0) } ?? .tooMany
        }
    }

    package func unblock(_ other: UserID, by user: UserID) async throws(StoreError) -> Bool {
        try await rows(.account, BlockQueries.remove(.text(user.text), .text(other.text))).count == 1
    }

    package func blocks(of user: UserID) async throws(StoreError) -> [BlockRecord] {
        try await rows(.list, BlockQueries.made(.text(user.text), .int(Int64(UserBlocks.most))))
    }

    package func blocks(
        of users: [UserID], against others: [UserID]
    ) async throws(StoreError) -> [UserID: Set<UserID>] {
        let pairs = try await rows(
            .lookUp, BlockQueries.madeAgainst(.texts(users.map(\.text)), .texts(others.map(\.text))))
        return pairs.reduce(into: [:]) { $0[$1.user, default: []].insert($1.blocked) }
    }

    package func isBlocked(_ one: UserID, _ other: UserID) async throws(StoreError) -> Bool {
        try await !rows(.lookUp, BlockQueries.between(.text(one.text), .text(other.text))).isEmpty
    }

    package func details(of thread: ThreadID) async throws(StoreError) -> RoomDetails? {
        try await rows(.list, StateQueries.details(.text(thread.text))).first
    }
}
