package import ParleyModel

/// Statements for the links that lead into rooms.
package enum LinkQueries {
    private static let columns =
        "links.id, links.author_id, links.since_ms, links.until_ms, links.uses, links.used"

    package static let insert = Statement(
        """
        INSERT INTO links (id, thread_id, code_hash, author_id, since_ms, until_ms, uses, used, ended_ms)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $6)
        """)
    package static let remove = Statement("DELETE FROM links WHERE thread_id = $1 AND id = ANY ($2)")
    /// The last use ends the link at `$3`.
    package static let use = Statement(
        """
        UPDATE links SET used = used + 1,
            ended_ms = CASE WHEN used + 1 = uses THEN least(until_ms, $3) ELSE ended_ms END
        WHERE thread_id = $1 AND id = $2
        """)
    /// Deletes links that have ended before `$1`, at most `$2`.
    package static let removeEnded = Query(
        """
        WITH ended AS MATERIALIZED (
            SELECT id FROM links WHERE ended_ms < $1 ORDER BY ended_ms, id LIMIT $2 FOR UPDATE SKIP LOCKED)
        DELETE FROM links USING ended WHERE links.id = ended.id RETURNING 0::bigint
        """)

    /// Returns all links of a thread, including ended ones.
    package static let ofThread = Query(
        "SELECT \(columns) FROM links WHERE thread_id = $1 ORDER BY since_ms DESC, id DESC"
    ) { try $0.link(0) }

    /// Returns the thread of the link with a code.
    package static let threadOfCode = Query("SELECT thread_id FROM links WHERE code_hash = $1") { try $0.thread(0) }

    /// Returns the link with a code.
    package static let ofCode = Query("SELECT \(columns) FROM links WHERE code_hash = $1") { try $0.link(0) }

    /// Returns the link with a code, its room, the number of the room's members, and whether user `$2` is one.
    package static let room = Query(
        """
        SELECT \(columns), threads.id, threads.kind, coalesce(threads.title, \(EntranceQueries.namesOfGroup), ''),
            threads.visibility,
            (SELECT count(*) FROM members WHERE members.thread_id = threads.id),
            EXISTS (SELECT 1 FROM members WHERE members.thread_id = threads.id AND members.user_id = $2)
        FROM links JOIN threads ON threads.id = links.thread_id
        WHERE links.code_hash = $1
        """
    ) { row in
        LinkedRoom(
            link: try row.link(0), thread: try row.threadInfo(6), members: try row.int(10),
            isMember: try row.bool(11))
    }
}

extension Row {
    /// Decodes the columns of `LinkQueries.columns`.
    fileprivate func link(_ column: Int) throws -> RoomLink {
        RoomLink(
            id: LinkID(trusted: try text(column)), author: UserID(trusted: try text(column + 1)),
            since: try int(column + 2), until: try optionalInt(column + 3), uses: try optionalInt(column + 4),
            used: try int(column + 5))
    }
}
