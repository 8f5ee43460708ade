extension Migration {
    /// The endpoints of back ends (`Webhooks`).
    ///
    /// - `settings` and `progress` are JSON of `WebhookSettings` and `WebhookProgress`. The settings have the secrets.
    /// - `webhook_dead_letters`: IDs of events, and no content.
    static let webhooks = """
        CREATE TABLE webhooks (
            id TEXT NOT NULL PRIMARY KEY,
            settings TEXT NOT NULL,
            progress TEXT NOT NULL,
            created_ms INTEGER NOT NULL,
            token TEXT NOT NULL,
            until_ms INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE webhook_dead_letters (
            id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
            webhook TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
            event TEXT NOT NULL,
            attempts INTEGER NOT NULL,
            reason TEXT NOT NULL,
            failed_ms INTEGER NOT NULL,
            replayed INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX webhook_dead_letters_by_event ON webhook_dead_letters (webhook, event);
        CREATE INDEX webhook_dead_letters_by_webhook ON webhook_dead_letters (webhook, id);
        CREATE INDEX webhook_dead_letters_replayed ON webhook_dead_letters (webhook, id) WHERE replayed = 1;

        """
}
