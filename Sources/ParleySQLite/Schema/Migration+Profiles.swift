extension Migration {
    /// The profiles of users.
    static let profiles = Migration(
        number: 4, name: "profiles",
        sql: """
            ALTER TABLE users ADD COLUMN display_name TEXT;
            ALTER TABLE users ADD COLUMN avatar_url TEXT;
            """)
}
