extension Migration {
    /// Operators, and the origin of accounts.
    ///
    /// - `users.operator_ms`: when the user was made an operator, in Unix milliseconds; `NULL` if the user is not one
    ///   by this table.
    /// - `users.origin`: an `AccountOrigin`. `NULL` if unknown: for accounts created before this step.
    static let operators = Migration(
        number: 7, name: "operators",
        sql: """
            ALTER TABLE users ADD COLUMN operator_ms INTEGER;
            ALTER TABLE users ADD COLUMN origin TEXT;
            CREATE INDEX users_by_operator ON users (name) WHERE operator_ms IS NOT NULL;
            """
                + trigger(
                    "users_operator_raises",
                    "AFTER UPDATE OF operator_ms ON users WHEN old.operator_ms IS NOT new.operator_ms", "'u:' || new.id"
                ))
}
