package import ParleyModel

/// Statements for users, sessions and memberships. The statements of `Directory` take their keys as an array, so that
/// one statement serves any number of keys.
package enum AccountQueries {
    package static let insertUser = Statement(
        """
        INSERT INTO users (id, name, password_hash, origin, created_ms, look, second_look)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        """)
    package static let credentials = Statement(
        """
        SELECT id, name, password_hash, credentials_version, \(SuspensionQueries.columns) FROM users
        WHERE name = $1 AND erased_ms IS NULL
        """)

    /// Locks the user until the transaction ends. A change of the credentials takes a conflicting lock, so that the
    /// later transaction sees the result of the earlier one.
    package static let holdCredentials = Statement("SELECT 0::bigint FROM users WHERE id = $1 FOR SHARE")
    package static let insertSession = Query(
        """
        INSERT INTO sessions (token_hash, user_id, expires_ms)
        SELECT $1, id, $3 FROM users WHERE id = $2 AND credentials_version = $4 AND erased_ms IS NULL
        RETURNING 0::bigint
        """)
    package static let sessionsOfUser = Statement(
        """
        SELECT token_hash, expires_ms FROM sessions
        WHERE user_id = $1 AND expires_ms > $2 AND (expires_ms < $3 OR (expires_ms = $3 AND token_hash > $4))
        ORDER BY expires_ms DESC, token_hash LIMIT $5
        """)
    /// The hashes with a prefix sort between the prefix and the prefix followed by a character above any hex digit.
    package static let sessionByPrefix = Statement(
        """
        SELECT token_hash, expires_ms FROM sessions
        WHERE user_id = $1 AND token_hash >= $2 AND token_hash < $2 || '~' ORDER BY token_hash LIMIT 1
        """)
    package static let deleteSession = Query("DELETE FROM sessions WHERE token_hash = $1 RETURNING user_id") {
        UserID(trusted: try $0.text(0))
    }
    /// Skips sessions that another transaction is deleting.
    package static let purgeSessions = Statement(
        """
        DELETE FROM sessions WHERE token_hash IN (
            SELECT token_hash FROM sessions WHERE expires_ms < $1 ORDER BY expires_ms LIMIT $2 FOR UPDATE SKIP LOCKED)
        """)

    package static let publicRoomOfTitle = Query(
        "SELECT id, kind, title, visibility FROM threads WHERE title = $1 AND visibility = 'public'"
    ) { try $0.threadInfo(0) }
    /// Creates a public room with the history `$4`. If several transactions run this concurrently, one creates the room; the others wait for it and
    /// insert nothing.
    package static let insertRoom = Query(
        """
        INSERT INTO threads (id, kind, title, visibility, history, created_ms)
        VALUES ($1, 'room', $2, 'public', $4, $3)
        ON CONFLICT (title) WHERE visibility = 'public' DO NOTHING RETURNING id
        """)
    /// Creates a room with the visibility `$4`, which is not `public`, and the history `$5`.
    package static let insertClosedRoom = Query(
        """
        INSERT INTO threads (id, kind, title, visibility, history, created_ms) VALUES ($1, 'room', $2, $4, $5, $3)
        RETURNING id
        """)
    /// Locks a user and a title until the transaction ends, so that a user creates one room that is not public with a title.
    package static let lockTitle = Statement(
        "SELECT pg_advisory_xact_lock(hashtext('parley title ' || current_schema()), hashtext($1::text || ' ' || $2::text))"
    )
    package static let membershipsByTitle = Query(
        """
        SELECT threads.id, threads.kind, threads.title, threads.visibility, members.role, \(SanctionQueries.memberColumns)
        FROM threads
        JOIN members ON members.thread_id = threads.id AND members.user_id = $2
        \(SanctionQueries.joinMute)
        WHERE threads.title = $1 AND threads.kind = 'room'
        """
    ) { row in
        let limits = try row.limits(5)
        return Membership(thread: try row.threadInfo(0), role: try row.role(4), limits)
    }
    /// Places the new member's read cursor at the head of the thread. `$5` is the start of the log.
    package static let insertMember = Query(
        """
        INSERT INTO members (thread_id, user_id, role, read_seq, read_n, joined_ms, visible_from)
        SELECT id, $2, $3, head_seq, head_n, $4, $5 FROM threads WHERE id = $1
        ON CONFLICT DO NOTHING RETURNING role
        """)

    package static let usersByID = Statement(
        "SELECT id, name, \(SuspensionQueries.columns) FROM users WHERE id = ANY ($1) AND erased_ms IS NULL")
    package static let usersByName = Statement(
        "SELECT id, name, \(SuspensionQueries.columns) FROM users WHERE name = ANY ($1) AND erased_ms IS NULL")

    package static let sessions = Statement(
        """
        SELECT sessions.token_hash, sessions.expires_ms, users.id, users.name, \(SuspensionQueries.columns)
        FROM sessions JOIN users ON users.id = sessions.user_id
        WHERE sessions.token_hash = ANY ($1) AND users.erased_ms IS NULL
        """)

    package static let memberships = Statement(selectMemberships + "WHERE members.user_id = ANY ($1)")
    package static let membershipsAtPlaces = Statement(
        selectMemberships + """
            JOIN unnest($1::text[], $2::text[]) AS keys (user_id, thread_id)
                ON members.user_id = keys.user_id AND members.thread_id = keys.thread_id
            """)
    private static let selectMemberships = """
        SELECT members.user_id, members.role, threads.id, threads.kind, coalesce(threads.title, peer.name, \(EntranceQueries.namesOfGroup), ''),
            threads.visibility, peer.id, peer.name, \(SanctionQueries.memberColumns)
        FROM members
        JOIN threads ON threads.id = members.thread_id
        \(SanctionQueries.joinMute)
        LEFT JOIN users AS peer ON peer.id = CASE threads.first_user_id
            WHEN members.user_id THEN threads.second_user_id ELSE threads.first_user_id END

        """

    /// Returns the given pairs of users that share a thread.
    package static let peers = Statement(
        """
        SELECT pairs.user_id, pairs.other_id FROM unnest($1::text[], $2::text[]) AS pairs (user_id, other_id)
        WHERE EXISTS (
            SELECT 1 FROM members AS theirs
            JOIN members AS mine ON mine.thread_id = theirs.thread_id AND mine.user_id = pairs.user_id
            WHERE theirs.user_id = pairs.other_id)
            AND NOT \(BlockQueries.isBlocked("pairs.user_id", "pairs.other_id"))
        """)

    package static let threadsByID = Statement(
        """
        SELECT id, kind, coalesce(title, \(EntranceQueries.namesOfGroup), ''), visibility FROM threads WHERE id = ANY ($1)
        """)
    package static let roomsByTitle = Statement(
        "SELECT id, kind, title, visibility FROM threads WHERE title = ANY ($1) AND visibility = 'public'")
}
