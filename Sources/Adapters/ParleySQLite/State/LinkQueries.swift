import GRDB
import ParleyModel

/// Statements for the links that lead into rooms. Each statement is prepared once per connection.
package enum LinkQueries {
    private static let columns =
        "links.id, links.author_id, links.since_ms, links.until_ms, links.uses, links.used"

    package static let insert = """
        INSERT INTO links (id, thread_id, code_hash, author_id, since_ms, until_ms, uses, used, ended_ms)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?6)
        """
    package static let remove = "DELETE FROM links WHERE thread_id = ? AND id = ?"
    /// The last use ends the link at `?3`.
    package static let use = """
        UPDATE links SET used = used + 1,
            ended_ms = CASE WHEN used + 1 = uses THEN min(coalesce(until_ms, ?3), ?3) ELSE ended_ms END
        WHERE thread_id = ?1 AND id = ?2
        """
    /// Deletes links that have ended before `?1`, at most `?2`.
    package static let removeEnded = """
        DELETE FROM links WHERE id IN (SELECT id FROM links WHERE ended_ms < ?1 ORDER BY ended_ms, id LIMIT ?2)
        """

    /// Returns all links of a thread, including ended ones.
    package static let ofThread =
        "SELECT \(columns) FROM links WHERE thread_id = ? ORDER BY since_ms DESC, id DESC"

    /// Returns the link with a code, and its thread.
    package static let ofCode = "SELECT \(columns), links.thread_id FROM links WHERE code_hash = ?"

    /// Returns the link with a code, its room, the number of the room's members, and whether user `?2` is one.
    package static let room = """
        SELECT \(columns), threads.id, threads.kind, coalesce(threads.title, \(EntranceQueries.namesOfGroup), ''),
            threads.visibility,
            (SELECT count(*) FROM members WHERE members.thread_id = threads.id),
            EXISTS (SELECT 1 FROM members WHERE members.thread_id = threads.id AND members.user_id = ?2)
        FROM links JOIN threads ON threads.id = links.thread_id
        WHERE links.code_hash = ?1
        """
}

extension Row {
    /// Decodes the columns of `LinkQueries.columns`.
    func link(_ column: Int) -> RoomLink {
        RoomLink(
            id: LinkID(trusted: self[column]), author: UserID(trusted: self[column + 1]), since: self[column + 2],
            until: self[column + 3], uses: self[column + 4], used: self[column + 5])
    }
}
