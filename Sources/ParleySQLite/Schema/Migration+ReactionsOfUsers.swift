extension Migration {
    /// The erasure of a user finds the events about their reactions, which contain what the reactions were.
    static let reactionsOfUsers = Migration(
        number: 11, name: "reactions of users",
        sql: "CREATE INDEX events_of_reacting_users ON events (user_id) WHERE kind = 'reaction' AND text <> '';")
}
