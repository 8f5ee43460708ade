extension Migration {
    /// The erasure of a user finds the events about their reactions, which contain what the reactions were; see
    /// `ErasureQueries.reactions`.
    static let reactionsOfUsers = Migration(
        number: 12, name: "reactions of users", oldestNode: 4,
        indexes: [
            Index(
                name: "events_of_reacting_users",
                definition: "ON events (user_id) WHERE kind = 'reaction' AND text <> ''")
        ])
}
