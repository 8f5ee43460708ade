/// Statements of the endpoints of back ends (`Webhooks`).
package enum WebhookQueries {
    private static let columns = "id, settings, progress, created_ms, until_ms"
    private static let letterColumns = "id, event, attempts, reason, failed_ms, replayed"

    package static let all = "SELECT \(columns) FROM webhooks ORDER BY id"

    package static let one = "SELECT \(columns) FROM webhooks WHERE id = ?"

    package static let add = """
        INSERT INTO webhooks (id, settings, progress, created_ms, token, until_ms)
        SELECT ?1, ?2, ?3, ?4, '', 0 WHERE (SELECT count(*) FROM webhooks) < ?5
        ON CONFLICT (id) DO NOTHING
        """

    /// `?2` is `NULL` to leave the progress and the lease as they are.
    package static let change = """
        UPDATE webhooks SET settings = ?1, progress = coalesce(?2, progress),
            token = CASE WHEN ?2 IS NULL THEN token ELSE '' END,
            until_ms = CASE WHEN ?2 IS NULL THEN until_ms ELSE 0 END
        WHERE id = ?3 AND settings = ?4 AND (?2 IS NULL OR progress = ?5)
        """

    package static let delete = "DELETE FROM webhooks WHERE id = ?"

    /// Gives token `?1` the lease at the time `?3`, until `?2`.
    package static let lease = """
        UPDATE webhooks SET token = ?1, until_ms = ?2 WHERE id = ?4 AND (token = ?1 OR until_ms <= ?3)
        """

    package static let store = """
        UPDATE webhooks SET progress = coalesce(?, progress), until_ms = ? WHERE id = ? AND token = ?
        """

    package static let addLetter = """
        INSERT INTO webhook_dead_letters (webhook, event, attempts, reason, failed_ms, replayed)
        SELECT id, ?2, ?3, ?4, ?5, 0 FROM webhooks WHERE id = ?1
        ON CONFLICT (webhook, event) DO UPDATE SET
            attempts = excluded.attempts, reason = excluded.reason, failed_ms = excluded.failed_ms, replayed = 0
        """

    /// Removes the dead letters of endpoint `?1` before its newest `?2`.
    package static let trim = """
        DELETE FROM webhook_dead_letters WHERE webhook = ?1 AND id <= (
            SELECT id FROM webhook_dead_letters WHERE webhook = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
        """

    package static let letters = """
        SELECT \(letterColumns) FROM webhook_dead_letters WHERE webhook = ? AND id < ? ORDER BY id DESC LIMIT ?
        """

    package static let counts = "SELECT webhook, count(*) FROM webhook_dead_letters GROUP BY webhook"

    package static let replay =
        "UPDATE webhook_dead_letters SET replayed = 1 WHERE webhook = ? AND id = ? AND replayed = 0"

    package static let replayAll =
        "UPDATE webhook_dead_letters SET replayed = 1 WHERE webhook = ? AND replayed = 0"

    package static let replayed = """
        SELECT \(letterColumns) FROM webhook_dead_letters WHERE webhook = ? AND replayed = 1 ORDER BY id LIMIT ?
        """

    package static let remove = "DELETE FROM webhook_dead_letters WHERE webhook = ? AND id = ?"
}
