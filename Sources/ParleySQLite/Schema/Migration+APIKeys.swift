extension Migration {
    /// API keys created by `parley admin`.
    static let apiKeys = Migration(
        number: 2, name: "api keys",
        sql: """
            CREATE TABLE api_keys (
                hash TEXT NOT NULL PRIMARY KEY,
                name TEXT NOT NULL UNIQUE,
                created_ms INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            """)
}
