extension Migration {
    /// API keys created by `parley admin`.
    static let apiKeys = Migration(
        number: 2, name: "api keys", oldestNode: 2,
        statements: [
            """
            CREATE TABLE api_keys (
                hash text COLLATE "C" PRIMARY KEY,
                name text COLLATE "C" NOT NULL UNIQUE,
                created_ms bigint NOT NULL
            )
            """
        ])
}
