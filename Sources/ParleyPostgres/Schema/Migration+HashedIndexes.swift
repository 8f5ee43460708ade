extension Migration {
    /// Indexes of `messages` by hashes instead of texts, which need a quarter of the space.
    ///
    /// - `messages_by_hashed_id` finds a message by thread and id, and `messages_by_hashed_send` the first use of a
    ///   `client_id`. Two 64-bit hashes are an entry of 24 bytes, whatever the length of the texts; queries compare the
    ///   texts too. Message ids are made by Parley, so no two of a thread collide. A sender can choose colliding
    ///   `client_id`s: the second one then counts as a later use (`Migration.sends`), as the writer decides in
    ///   `StoredBefore`.
    /// - The messages of a user are found by `messages_by_hashed_send` and, without a `client_id`, by
    ///   `messages_by_hashed_sender`: each message is in one of the two indexes.
    ///
    /// Dates need no index: they never decrease as seq rises, so the seq of a date is found by bisection
    /// (`DateQueries`).
    static let hashedIndexes = Migration(
        number: 8, name: "hashed indexes", oldestNode: 4,
        indexes: [
            Index(
                name: "messages_by_hashed_id",
                definition: "ON messages (\(Hashes.of("thread_id")), \(Hashes.of("id")))",
                isUnique: true),
            Index(
                name: "messages_by_hashed_send",
                definition: """
                    ON messages (\(Hashes.of("sender_id")), \(Hashes.of("client_id"))) WHERE client_id IS NOT NULL
                    """, isUnique: true, repair: SendQueries.separateCollisions),
            Index(
                name: "messages_by_hashed_sender",
                definition: """
                    ON messages (\(Hashes.of("sender_id")), \(Hashes.of("thread_id")), seq) WHERE client_id IS NULL
                    """),
        ])

    /// Removes the indexes that only nodes of step 7 and older need: they are 366 of 814 bytes of a message.
    static let oldIndexes = Migration(
        number: 9, name: "without the old indexes", oldestNode: 8, isDeferred: true,
        statements: [
            // Whoever needs the table waits behind this lock, so it is given up if something long is running.
            "SET LOCAL lock_timeout = '10s'",
            "DROP INDEX messages_by_id, messages_by_client_id, messages_by_sender, messages_by_date",
        ])
}

/// The expressions of the indexes by hash. An index serves only queries with exactly these.
enum Hashes {
    /// 64 bits, so that no two collide by chance.
    static func of(_ text: String) -> String { "hashtextextended(\(text), 0)" }

    /// Whether two pairs of texts are equal, as a condition that an index of both hashes serves.
    static func equal(_ row: (String, String), _ key: (String, String)) -> String {
        """
        \(of(row.0)) = \(of(key.0)) AND \(of(row.1)) = \(of(key.1)) AND \(row.0) = \(key.0) AND \(row.1) = \(key.1)
        """
    }
}
