package import ParleyModel
import ParleyStorage

/// Statements for `EntranceStore`.
package enum EntranceQueries {
    /// The title of a row of `threads` that has none, if it is a group; otherwise `NULL`.
    package static let namesOfGroup = """
        CASE WHEN threads.kind = 'group' THEN (
            SELECT string_agg(first.name, '\(ThreadInfo.nameSeparator)' ORDER BY first.id) FROM (
                SELECT named.id, named.name FROM members AS grouped JOIN users AS named ON named.id = grouped.user_id
                WHERE grouped.thread_id = threads.id ORDER BY grouped.user_id LIMIT \(ThreadInfo.namesInTitle)
            ) AS first) END
        """

    /// A condition that a row has not expired at a time.
    private static func isOpen(_ table: String, at now: String) -> String {
        "(\(table).until_ms IS NULL OR \(table).until_ms > \(now))"
    }

    /// A condition that a request has not ended at a time.
    private static func isCurrent(at now: String) -> String {
        "join_requests.since_ms > \(now) - \(JoinRequest.lifetime)"
    }

    // MARK: Facts

    /// Returns the invitation and the request of user `$2` in thread `$1`, and the counts at `$3`.
    package static let facts = Query(
        """
        SELECT invitations.author_id, invitations.text, invitations.since_ms, invitations.until_ms,
            join_requests.state, join_requests.text, join_requests.since_ms,
            (SELECT count(*) FROM invitations WHERE thread_id = $1 AND \(isOpen("invitations", at: "$3"))),
            (SELECT count(*) FROM invitations WHERE user_id = $2 AND \(isOpen("invitations", at: "$3"))),
            (SELECT count(*) FROM join_requests
                WHERE thread_id = $1 AND state = 'open' AND \(isCurrent(at: "$3"))),
            (SELECT count(*) FROM join_requests
                WHERE user_id = $2 AND state <> 'withdrawn' AND \(isCurrent(at: "$3")))
        FROM (SELECT 1) AS one
        LEFT JOIN invitations ON invitations.thread_id = $1 AND invitations.user_id = $2
        LEFT JOIN join_requests ON join_requests.thread_id = $1 AND join_requests.user_id = $2
        """
    ) { row in
        var invitation: Invitation?
        if let author = try row.optionalText(0) {
            invitation = Invitation(
                by: UserID(trusted: author), text: try row.optionalText(1), since: try row.int(2),
                until: try row.optionalInt(3))
        }
        var request: JoinRequest?
        if let state = try row.optionalText(4) {
            request = JoinRequest(
                text: try row.optionalText(5), since: try row.int(6), state: try JoinRequest.State(stored: state))
        }
        let counts = EntranceCounts(
            invitationsOfThread: try row.int(7), invitationsOfUser: try row.int(8), requestsOfThread: try row.int(9),
            requestsOfUser: try row.int(10))
        return (invitation: invitation, request: request, counts: counts)
    }

    // MARK: Changes

    /// Unless the user is erased.
    package static let putInvitation = Statement(
        """
        INSERT INTO invitations (thread_id, user_id, author_id, text, since_ms, until_ms)
        SELECT $1, id, $3, $4, $5, $6 FROM users WHERE id = $2 AND erased_ms IS NULL
        ON CONFLICT (thread_id, user_id) DO UPDATE SET author_id = excluded.author_id, text = excluded.text,
            since_ms = excluded.since_ms, until_ms = excluded.until_ms
        """)
    package static let deleteInvitation = Statement("DELETE FROM invitations WHERE thread_id = $1 AND user_id = $2")
    /// Unless the user is erased.
    package static let putRequest = Statement(
        """
        INSERT INTO join_requests (thread_id, user_id, text, since_ms, state)
        SELECT $1, id, $3, $4, $5 FROM users WHERE id = $2 AND erased_ms IS NULL
        ON CONFLICT (thread_id, user_id) DO UPDATE SET text = excluded.text, since_ms = excluded.since_ms,
            state = excluded.state
        """)
    /// Deletes requests of user `$1` for other threads than `$3` that have ended at `$2`.
    package static let deleteEndedRequests = Statement(
        "DELETE FROM join_requests WHERE user_id = $1 AND thread_id <> $3 AND NOT \(isCurrent(at: "$2"))")
    package static let deleteRequest = Statement("DELETE FROM join_requests WHERE thread_id = $1 AND user_id = $2")
    /// Deletes invitations that have expired before `$1`, at most `$2`.
    package static let removeEndedInvitations = Query(
        """
        WITH ended AS MATERIALIZED (
            SELECT thread_id, user_id FROM invitations WHERE until_ms < $1
            ORDER BY until_ms, thread_id, user_id LIMIT $2 FOR UPDATE SKIP LOCKED)
        DELETE FROM invitations USING ended
        WHERE invitations.thread_id = ended.thread_id AND invitations.user_id = ended.user_id RETURNING 0::bigint
        """)
    /// Deletes requests made before `$1`, at most `$2`.
    package static let removeEndedRequests = Query(
        """
        WITH ended AS MATERIALIZED (
            SELECT thread_id, user_id FROM join_requests WHERE since_ms < $1
            ORDER BY since_ms, thread_id, user_id LIMIT $2 FOR UPDATE SKIP LOCKED)
        DELETE FROM join_requests USING ended
        WHERE join_requests.thread_id = ended.thread_id AND join_requests.user_id = ended.user_id RETURNING 0::bigint
        """)
    package static let hasThread = Query("SELECT 0::bigint FROM threads WHERE id = $1")
    package static let insertGroup = Statement(
        "INSERT INTO threads (id, kind, title, visibility, created_ms) VALUES ($1, 'group', $2, 'private', $3)")

    // MARK: Lists

    private static let invitations = """
        SELECT threads.id, threads.kind, coalesce(threads.title, \(namesOfGroup), ''), threads.visibility,
            invited.id, invited.name, author.id, author.name, invitations.text, invitations.since_ms,
            invitations.until_ms
        FROM invitations
        JOIN threads ON threads.id = invitations.thread_id
        JOIN users AS invited ON invited.id = invitations.user_id
        JOIN users AS author ON author.id = invitations.author_id

        """
    private static let invitation: @Sendable (Row) throws -> InvitationRecord = { row in
        let author = try row.user(6)
        return InvitationRecord(
            thread: try row.threadInfo(0), user: try row.user(4), author: author,
            invitation: Invitation(
                by: author.id, text: try row.optionalText(8), since: try row.int(9), until: try row.optionalInt(10)))
    }
    /// A page of the invitations of user `$1` that are open at `$2`, after thread `$3`.
    package static let ofUser = Query(
        invitations + """
            WHERE invitations.user_id = $1 AND \(isOpen("invitations", at: "$2")) AND invitations.thread_id > $3
            ORDER BY invitations.thread_id LIMIT $4
            """, invitation)
    /// A page of the invitations to thread `$1` that are open at `$2`, after user `$3`.
    package static let ofThread = Query(
        invitations + """
            WHERE invitations.thread_id = $1 AND \(isOpen("invitations", at: "$2")) AND invitations.user_id > $3
            ORDER BY invitations.user_id LIMIT $4
            """, invitation)

    private static let requests = """
        SELECT join_requests.thread_id, users.id, users.name, join_requests.text, join_requests.since_ms,
            join_requests.state
        FROM join_requests JOIN users ON users.id = join_requests.user_id

        """
    private static let request: @Sendable (Row) throws -> RequestRecord = { row in
        RequestRecord(
            thread: try row.thread(0), user: try row.user(1),
            request: JoinRequest(
                text: try row.optionalText(3), since: try row.int(4),
                state: try JoinRequest.State(stored: row.text(5))))
    }
    package static let requestsOfUser = Query(
        requests + """
            WHERE join_requests.user_id = $1 AND join_requests.state <> 'withdrawn' AND \(isCurrent(at: "$2"))
            ORDER BY join_requests.thread_id LIMIT $3
            """, request)
    /// A page of the open requests in thread `$1` at `$2`, after user `$3`.
    package static let requestsOfThread = Query(
        requests + """
            WHERE join_requests.thread_id = $1 AND join_requests.state = 'open' AND \(isCurrent(at: "$2"))
                AND join_requests.user_id > $3
                AND NOT EXISTS (
                    SELECT 1 FROM sanctions WHERE sanctions.thread_id = $1
                        AND sanctions.user_id = join_requests.user_id AND sanctions.kind = 'ban'
                        AND \(isOpen("sanctions", at: "$2")))
            ORDER BY join_requests.user_id LIMIT $4
            """, request)
}
