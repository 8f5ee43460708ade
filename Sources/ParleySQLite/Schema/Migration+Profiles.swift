extension Migration {
    /// What users show of themselves.
    static let profiles = Migration(
        number: 4, name: "profiles",
        sql: """
            ALTER TABLE users ADD COLUMN display_name TEXT;
            ALTER TABLE users ADD COLUMN avatar_url TEXT;
            """)
}
