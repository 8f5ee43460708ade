extension Migration {
    /// Who is an operator, and who has made which account.
    ///
    /// - `users.operator_ms`: when the user was made an operator, Unix milliseconds; `NULL`: is none by this.
    /// - `users.origin`: an `AccountOrigin`. `NULL`: not known, of accounts that were there before this step and of those that
    ///   nodes of an older version make.
    static let operators = Migration(
        number: 7, name: "operators", oldestNode: 4,
        statements: [
            """
            ALTER TABLE users
                ADD COLUMN operator_ms bigint,
                ADD COLUMN origin text COLLATE "C"
            """,
            "CREATE INDEX users_by_operator ON users (name) WHERE operator_ms IS NOT NULL",
            """
            CREATE TRIGGER users_operator_raises AFTER UPDATE OF operator_ms ON users
            FOR EACH ROW WHEN (OLD.operator_ms IS DISTINCT FROM NEW.operator_ms) EXECUTE FUNCTION raise_user()
            """,
        ])
}
