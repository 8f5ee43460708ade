import ParleyModel

/// Statements for `EntranceStore`. Each is prepared once per connection.
package enum EntranceQueries {
    /// The title of a row of `threads` that has none, if it is a group; otherwise `NULL`.
    package static let namesOfGroup = """
        CASE WHEN threads.kind = 'group' THEN (
            SELECT group_concat(first.name, '\(ThreadInfo.nameSeparator)') FROM (
                SELECT named.name FROM members AS grouped JOIN users AS named ON named.id = grouped.user_id
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

    /// Returns the invitation and the request of user `?2` in thread `?1`, and the counts at `?3`.
    package static let facts = """
        SELECT invitations.author_id, invitations.text, invitations.since_ms, invitations.until_ms,
            join_requests.state, join_requests.text, join_requests.since_ms,
            (SELECT count(*) FROM invitations WHERE thread_id = ?1 AND \(isOpen("invitations", at: "?3"))),
            (SELECT count(*) FROM invitations WHERE user_id = ?2 AND \(isOpen("invitations", at: "?3"))),
            (SELECT count(*) FROM join_requests
                WHERE thread_id = ?1 AND state = 'open' AND \(isCurrent(at: "?3"))),
            (SELECT count(*) FROM join_requests
                WHERE user_id = ?2 AND state <> 'withdrawn' AND \(isCurrent(at: "?3")))
        FROM (SELECT 1) AS one
        LEFT JOIN invitations ON invitations.thread_id = ?1 AND invitations.user_id = ?2
        LEFT JOIN join_requests ON join_requests.thread_id = ?1 AND join_requests.user_id = ?2
        """

    // MARK: Changes

    /// Unless the user is erased.
    package static let putInvitation = """
        INSERT INTO invitations (thread_id, user_id, author_id, text, since_ms, until_ms)
        SELECT ?1, id, ?3, ?4, ?5, ?6 FROM users WHERE id = ?2 AND erased_ms IS NULL
        ON CONFLICT (thread_id, user_id) DO UPDATE SET author_id = excluded.author_id, text = excluded.text,
            since_ms = excluded.since_ms, until_ms = excluded.until_ms
        """
    package static let deleteInvitation = "DELETE FROM invitations WHERE thread_id = ?1 AND user_id = ?2"
    /// Unless the user is erased.
    package static let putRequest = """
        INSERT INTO join_requests (thread_id, user_id, text, since_ms, state)
        SELECT ?1, id, ?3, ?4, ?5 FROM users WHERE id = ?2 AND erased_ms IS NULL
        ON CONFLICT (thread_id, user_id) DO UPDATE SET text = excluded.text, since_ms = excluded.since_ms,
            state = excluded.state
        """
    /// Deletes requests of user `?1` for other threads than `?3` that have ended at `?2`.
    package static let deleteEndedRequests =
        "DELETE FROM join_requests WHERE user_id = ?1 AND thread_id <> ?3 AND NOT \(isCurrent(at: "?2"))"
    package static let deleteRequest = "DELETE FROM join_requests WHERE thread_id = ?1 AND user_id = ?2"
    /// Deletes invitations that have expired before `?1`, at most `?2`.
    package static let removeEndedInvitations = """
        DELETE FROM invitations WHERE (thread_id, user_id) IN (
            SELECT thread_id, user_id FROM invitations WHERE until_ms < ?1
            ORDER BY until_ms, thread_id, user_id LIMIT ?2)
        """
    /// Deletes requests made before `?1`, at most `?2`.
    package static let removeEndedRequests = """
        DELETE FROM join_requests WHERE (thread_id, user_id) IN (
            SELECT thread_id, user_id FROM join_requests WHERE since_ms < ?1
            ORDER BY since_ms, thread_id, user_id LIMIT ?2)
        """
    package static let hasThread = "SELECT 1 FROM threads WHERE id = ?1"
    package static let insertGroup =
        "INSERT INTO threads (id, kind, title, visibility, created_ms) VALUES (?1, 'group', ?2, 'private', ?3)"

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
    /// A page of the invitations of user `?1` that are open at `?2`, after thread `?3`.
    package static let ofUser =
        invitations + """
            WHERE invitations.user_id = ?1 AND \(isOpen("invitations", at: "?2")) AND invitations.thread_id > ?3
            ORDER BY invitations.thread_id LIMIT ?4
            """
    /// A page of the invitations to thread `?1` that are open at `?2`, after user `?3`.
    package static let ofThread =
        invitations + """
            WHERE invitations.thread_id = ?1 AND \(isOpen("invitations", at: "?2")) AND invitations.user_id > ?3
            ORDER BY invitations.user_id LIMIT ?4
            """

    private static let requests = """
        SELECT join_requests.thread_id, users.id, users.name, join_requests.text, join_requests.since_ms,
            join_requests.state
        FROM join_requests JOIN users ON users.id = join_requests.user_id

        """
    package static let requestsOfUser =
        requests + """
            WHERE join_requests.user_id = ?1 AND join_requests.state <> 'withdrawn' AND \(isCurrent(at: "?2"))
            ORDER BY join_requests.thread_id LIMIT ?3
            """
    /// A page of the open requests in thread `?1` at `?2`, after user `?3`.
    package static let requestsOfThread =
        requests + """
            WHERE join_requests.thread_id = ?1 AND join_requests.state = 'open' AND \(isCurrent(at: "?2"))
                AND join_requests.user_id > ?3
                AND NOT EXISTS (
                    SELECT 1 FROM sanctions WHERE sanctions.thread_id = ?1
                        AND sanctions.user_id = join_requests.user_id AND sanctions.kind = 'ban'
                        AND \(isOpen("sanctions", at: "?2")))
            ORDER BY join_requests.user_id LIMIT ?4
            """
}
