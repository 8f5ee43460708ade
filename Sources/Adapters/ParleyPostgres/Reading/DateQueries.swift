/// Statements that find the seq for a date.
///
/// Dates never decrease as seq rises (`EventPlace`), so a bisection of the primary key finds the seq. It reads one row
/// for each doubling of the thread's length: 21 rows for two million messages. Where dates are out of order, the result
/// is still a boundary between a message before the date and a message that is not.
package enum DateQueries {
    /// The last seq before a date.
    package static let lastSeqBefore = Query(last("<"), seq)

    /// The last seq at or before a date.
    package static let lastSeqUpTo = Query(last("<="), seq)

    /// The first seq at or after a date.
    package static let firstSeqFrom = Query(
        """
        \(search("<"))
        SELECT messages.seq FROM messages
        WHERE thread_id = $1 AND messages.seq > (SELECT coalesce(answer, 0) FROM search WHERE low >= high)
        ORDER BY messages.seq LIMIT 1
        """, seq)

    @Sendable private static func seq(_ row: Row) throws -> Int64 { try row.int(0) }

    private static func last(_ isBefore: String) -> String {
        """
        \(search(isBefore))
        SELECT answer FROM search WHERE low >= high AND answer IS NOT NULL
        """
    }

    /// The answer is either `answer` or above `low`, and not above `high`. Each step halves the range. A seq may belong
    /// to an event, so a step looks for the last message at or below the middle.
    private static func search(_ isBefore: String) -> String {
        """
        WITH RECURSIVE search (low, high, answer) AS (
            SELECT 0::bigint,
                coalesce((SELECT seq FROM messages WHERE thread_id = $1 ORDER BY seq DESC LIMIT 1), 0), NULL::bigint
            UNION ALL
            SELECT
                CASE WHEN found.seq IS NULL OR found.date_ms \(isBefore) $2 THEN middle ELSE low END,
                CASE WHEN NOT found.date_ms \(isBefore) $2 THEN found.seq - 1 ELSE high END,
                CASE WHEN found.date_ms \(isBefore) $2 THEN found.seq ELSE answer END
            FROM (SELECT low, high, answer, low + (high - low + 1) / 2 AS middle FROM search WHERE low < high) AS step
            LEFT JOIN LATERAL (
                SELECT seq, date_ms FROM messages WHERE thread_id = $1 AND seq > low AND seq <= middle
                ORDER BY seq DESC LIMIT 1) AS found ON true)
        """
    }
}
