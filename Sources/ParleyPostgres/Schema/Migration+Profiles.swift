extension Migration {
    /// The profiles of users.
    static let profiles = Migration(
        number: 4, name: "profiles", oldestNode: 4,
        statements: [
            """
            ALTER TABLE users
                ADD COLUMN display_name text COLLATE "C",
                ADD COLUMN avatar_url text COLLATE "C"
            """
        ])
}
