package import ParleyModel

/// Statements of the endpoints of back ends (`Webhooks`), by the server's clock.
package enum WebhookQueries {
    private static let now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
    private static let columns = "id, settings, progress, created_ms, until_ms"
    private static let letterColumns = "id, event, attempts, reason, failed_ms, replayed"

    package static let all = Query("SELECT \(columns) FROM webhooks ORDER BY id", webhook)

    package static let add = Query<Void>(
        """
        INSERT INTO webhooks (id, settings, progress, created_ms, token, until_ms)
        SELECT $1, $2, $3, $4, '', 0 WHERE (SELECT count(*) FROM webhooks) < $5
        ON CONFLICT (id) DO NOTHING RETURNING 1
        """)

    /// `$2` is `NULL` to leave the progress and the lease as they are.
    package static let change = Query<Void>(
        """
        UPDATE webhooks SET settings = $1, progress = coalesce($2, progress),
            token = CASE WHEN $2 IS NULL THEN token ELSE '' END,
            until_ms = CASE WHEN $2 IS NULL THEN until_ms ELSE 0 END
        WHERE id = $3 AND settings = $4 AND ($2 IS NULL OR progress = $5) RETURNING 1
        """)

    package static let delete = Query<Void>("DELETE FROM webhooks WHERE id = $1 RETURNING 1")

    package static let lease = Query(
        """
        UPDATE webhooks SET token = $1, until_ms = \(now) + $2
        WHERE id = $3 AND (token = $1 OR until_ms <= \(now)) RETURNING \(columns)
        """, webhook)

    package static let store = Query(
        """
        UPDATE webhooks SET progress = coalesce($1, progress), until_ms = \(now) + $2
        WHERE id = $3 AND token = $4 RETURNING settings
        """
    ) { try WebhookSettings(stored: try $0.text(0)) }

    package static let addLetter = Query<Void>(
        """
        INSERT INTO webhook_dead_letters (webhook, event, attempts, reason, failed_ms, replayed)
        SELECT id, $2, $3, $4, $5, 0 FROM webhooks WHERE id = $1
        ON CONFLICT (webhook, event) DO UPDATE SET
            attempts = excluded.attempts, reason = excluded.reason, failed_ms = excluded.failed_ms, replayed = 0
        RETURNING 1
        """)

    /// Removes the dead letters of endpoint `$1` before its newest `$2`.
    package static let trim = Statement(
        """
        DELETE FROM webhook_dead_letters WHERE webhook = $1 AND id <= (
            SELECT id FROM webhook_dead_letters WHERE webhook = $1 ORDER BY id DESC OFFSET $2 LIMIT 1)
        """)

    package static let letters = Query(
        """
        SELECT \(letterColumns) FROM webhook_dead_letters WHERE webhook = $1 AND id < $2 ORDER BY id DESC LIMIT $3
        """, letter)

    package static let counts = Query("SELECT webhook, count(*) FROM webhook_dead_letters GROUP BY webhook") {
        (try $0.text(0), Int(clamping: try $0.int(1)))
    }

    package static let replay = Query<Void>(
        "UPDATE webhook_dead_letters SET replayed = 1 WHERE webhook = $1 AND id = ANY ($2) AND replayed = 0 RETURNING 1"
    )

    package static let replayAll = Query<Void>(
        "UPDATE webhook_dead_letters SET replayed = 1 WHERE webhook = $1 AND replayed = 0 RETURNING 1")

    package static let replayed = Query(
        """
        SELECT \(letterColumns) FROM webhook_dead_letters WHERE webhook = $1 AND replayed = 1 ORDER BY id LIMIT $2
        """, letter)

    package static let remove = Query<Void>(
        "DELETE FROM webhook_dead_letters WHERE webhook = $1 AND id = $2 RETURNING 1")

    @Sendable private static func webhook(_ row: Row) throws -> Webhook {
        Webhook(
            id: try row.text(0), settings: try WebhookSettings(stored: try row.text(1)),
            progress: try WebhookProgress(stored: try row.text(2)), createdMilliseconds: try row.int(3),
            untilMilliseconds: try row.int(4))
    }

    @Sendable private static func letter(_ row: Row) throws -> DeadLetter {
        DeadLetter(
            id: try row.int(0), event: try row.text(1), attempts: Int(clamping: try row.int(2)),
            reason: try row.text(3), failedMilliseconds: try row.int(4), isReplayed: try row.int(5) == 1)
    }
}
