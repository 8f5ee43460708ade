extension Migration {
    /// What users show of themselves.
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
