extension Migration {
    /// The endpoints of back ends (`Webhooks`).
    ///
    /// - `settings` and `progress` are JSON of `WebhookSettings` and `WebhookProgress`. The settings have the secrets.
    /// - `webhook_dead_letters`: IDs of events, and no content.
    static let webhooks = [
        """
        CREATE TABLE webhooks (
            id text COLLATE "C" PRIMARY KEY,
            settings text COLLATE "C" NOT NULL,
            progress text COLLATE "C" NOT NULL,
            created_ms bigint NOT NULL,
            token text COLLATE "C" NOT NULL,
            until_ms bigint NOT NULL
        )
        """,
        """
        CREATE TABLE webhook_dead_letters (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            webhook text COLLATE "C" NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
            event text COLLATE "C" NOT NULL,
            attempts bigint NOT NULL,
            reason text COLLATE "C" NOT NULL,
            failed_ms bigint NOT NULL,
            replayed bigint NOT NULL
        )
        """,
        "CREATE UNIQUE INDEX webhook_dead_letters_by_event ON webhook_dead_letters (webhook, event)",
        "CREATE INDEX webhook_dead_letters_by_webhook ON webhook_dead_letters (webhook, id)",
        "CREATE INDEX webhook_dead_letters_replayed ON webhook_dead_letters (webhook, id) WHERE replayed = 1",
    ]
}
