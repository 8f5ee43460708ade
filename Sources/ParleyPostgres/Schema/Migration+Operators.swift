extension Migration {
    /// Operators, and the origin of accounts.
    ///
    /// - `users.operator_ms`: when the user was made an operator, in Unix milliseconds; `NULL` if the user is not one
    ///   by this table.
    /// - `users.origin`: an `AccountOrigin`. `NULL` if unknown: for accounts created before this step or by nodes of an
    ///   older version.
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
