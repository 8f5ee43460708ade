package import ParleyModel
package import ParleyStorage

/// Statements for `StateStore`.
package enum StateQueries {
    // MARK: Roles and users

    /// Returns a thread, the roles of two users, and the restrictions and sanctions of the second. Returns no row if the
    /// thread does not exist.
    package static let roles = Query(
        """
        SELECT threads.id, threads.kind, coalesce(threads.title, \(EntranceQueries.namesOfGroup), ''), threads.visibility, asker.role, subject.role,
            \(isRestricted(.removed, "$3")), \(isRestricted(.readOnly, "$3")), \(SanctionQueries.columns),
            threads.history, subject.visible_from, threads.options, \(BlockQueries.isBlocked("$2", "$3"))
        FROM threads
        LEFT JOIN members AS asker ON asker.thread_id = threads.id AND asker.user_id = $2
        LEFT JOIN members AS subject ON subject.thread_id = threads.id AND subject.user_id = $3
        \(SanctionQueries.joinBoth(of: "$3"))
        WHERE threads.id = $1
        """
    ) { row in
        MemberRoles(
            thread: try row.threadInfo(0), requester: try row.optionalRole(4), subject: try row.optionalRole(5),
            restrictions: try row.restrictions(6), sanctions: try row.sanctions(8),
            history: try RoomHistory(stored: row.text(14)), start: try row.historyStart(15),
            options: try row.options(16), isBlocked: try row.bool(17))
    }

    /// Returns a row if the user exists and is not erased, and prevents an erasure until the transaction ends.
    package static let holdUser = Query(
        "SELECT 0::bigint FROM users WHERE id = $1 AND erased_ms IS NULL FOR KEY SHARE")

    /// Returns the role, the restrictions, the sanctions and the start of the log of user `$3` in a room, and the history of the
    /// room. Returns no row if the room no longer
    /// has the title `$2` and the visibility `$4`.
    package static let memberOfRoom = Query(
        """
        SELECT members.role, \(isRestricted(.removed, "$3")), \(isRestricted(.readOnly, "$3")),
            \(SanctionQueries.columns), threads.history, members.visible_from, threads.options
        FROM threads
        LEFT JOIN members ON members.thread_id = threads.id AND members.user_id = $3
        \(SanctionQueries.joinBoth(of: "$3"))
        WHERE threads.id = $1 AND threads.title = $2 AND threads.visibility = $4
        """
    ) { row in
        (
            role: try row.optionalRole(0), restrictions: try row.restrictions(1), sanctions: try row.sanctions(3),
            history: try RoomHistory(stored: row.text(9)), start: try row.historyStart(10),
            options: try row.options(11)
        )
    }

    /// A condition that the user has a restriction in the thread of a row of `threads`.
    private static func isRestricted(_ kind: Restrictions.Kind, _ user: String) -> String {
        """
        EXISTS (
            SELECT 1 FROM restrictions WHERE restrictions.thread_id = threads.id AND restrictions.user_id = \(user)
                AND restrictions.kind = '\(kind.rawValue)')
        """
    }

    /// Restricts a user who exists and is not erased, and prevents an erasure until the transaction ends.
    package static let restrict = Statement(
        """
        INSERT INTO restrictions (thread_id, user_id, kind, since_ms)
        SELECT $1, id, $3, $4 FROM users WHERE id = $2 AND erased_ms IS NULL FOR KEY SHARE
        ON CONFLICT DO NOTHING
        """)

    package static let setRole = Statement("UPDATE members SET role = $1 WHERE thread_id = $2 AND user_id = $3")
    package static let removeMember = Statement("DELETE FROM members WHERE thread_id = $1 AND user_id = $2")

    package static let setVisibility = Statement("UPDATE threads SET visibility = $1 WHERE id = $2 AND kind = 'room'")

    package static let setRoom = Statement(
        "UPDATE threads SET options = $1, description = $2, rules = $3 WHERE id = $4 AND kind <> 'direct'")
    package static let details = Query(
        "SELECT options, description, rules FROM threads WHERE id = $1 AND kind <> 'direct'"
    ) {
        RoomDetails(
            options: try $0.options(0), description: try $0.optionalText(1), rules: try $0.optionalText(2))
    }

    package static let setHistory = Statement("UPDATE threads SET history = $1 WHERE id = $2 AND kind <> 'direct'")

    package static let history = Query("SELECT history FROM threads WHERE id = $1 AND kind <> 'direct'") {
        try RoomHistory(stored: $0.text(0))
    }

    /// Lets the log of a new member, whose start is `HistoryStart.pending`, begin with the newest `joined` entry of the thread.
    /// The caller has added the entry in this transaction, and holds the thread.
    static let beginLog = Statement(
        """
        UPDATE members SET visible_from = visible_from
            + (SELECT max(id) FROM outbox WHERE thread_id = $1 AND kind = 'joined')
        WHERE thread_id = $1 AND user_id = $2 AND visible_from = \(HistoryStart.pending)
        """)

    // MARK: Deletion of a thread

    /// Locks the thread until the transaction ends. In the meantime, no batch is written to it, and no user joins.
    static let holdThread = Query("SELECT coalesce(epoch, '') FROM threads WHERE id = $1 FOR UPDATE") {
        try $0.text(0)
    }
    package static let membersOfThread = Query("SELECT user_id FROM members WHERE thread_id = $1 ORDER BY user_id") {
        UserID(trusted: try $0.text(0))
    }
    static let insertDeletedEpochs = Statement(
        """
        INSERT INTO deleted_epochs (thread_id, epoch, deleted_ms) SELECT $1, epoch, $3 FROM unnest($2) AS epoch
        ON CONFLICT DO NOTHING
        """)

    // MARK: Accounts

    /// Raises the credentials version even if the hash is unchanged. Returns a row if the account exists.
    package static let setPassword = Query(
        """
        UPDATE users SET password_hash = $1, credentials_version = credentials_version + 1
        WHERE id = $2 AND erased_ms IS NULL AND ($3::bigint IS NULL OR credentials_version = $3)
        RETURNING 0::bigint
        """)
    /// Returns a row if this changes the user.
    package static let grantOperator = Query(
        """
        UPDATE users SET operator_ms = $2 WHERE id = $1 AND operator_ms IS NULL AND erased_ms IS NULL
        RETURNING 0::bigint
        """)
    /// Returns a row if this changes the user.
    package static let revokeOperator = Query(
        "UPDATE users SET operator_ms = NULL WHERE id = $1 AND operator_ms IS NOT NULL RETURNING 0::bigint")
    package static let invalidateCredentials = Statement(
        "UPDATE users SET credentials_version = credentials_version + 1 WHERE id = $1 AND erased_ms IS NULL")

    package static let threadsOfMember = Query(
        "SELECT thread_id FROM members WHERE user_id = $1 ORDER BY user_id, thread_id LIMIT $2"
    ) { try $0.text(0) }
    /// Returns the given threads that a user is a member of, with their kinds.
    package static let memberships = Query(
        """
        SELECT members.thread_id, threads.kind FROM members JOIN threads ON threads.id = members.thread_id
        WHERE members.thread_id = ANY ($2) AND members.user_id = $1
        """
    ) { row in HeldMembership(thread: try row.thread(0), kind: try ThreadInfo.Kind(stored: row.text(1))) }
    package static let leaveThreads = Statement(
        "DELETE FROM members WHERE thread_id = ANY ($2) AND user_id = $1")

    // MARK: Cleanups

    /// The server's time in Unix milliseconds. Dates are set and compared by the server's clock, since the clocks of
    /// nodes may differ by minutes.
    private static let now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
    static let time = Query("SELECT \(now)") { try $0.int(0) }

    static let insertCleanup = Statement(
        "INSERT INTO cleanups (kind, id, due_ms) VALUES ($1, $2, \(now)) ON CONFLICT DO NOTHING")
    /// The result is `nil` for a cleanup of a kind that this version does not know.
    package static let claimCleanups = Query(
        """
        WITH due AS MATERIALIZED (
            SELECT kind, id FROM cleanups WHERE due_ms <= \(now) ORDER BY due_ms LIMIT $1 FOR UPDATE SKIP LOCKED)
        UPDATE cleanups SET due_ms = \(now) + \(Cleanup.leaseMilliseconds)
        FROM due WHERE cleanups.kind = due.kind AND cleanups.id = due.id
        RETURNING cleanups.kind, cleanups.id, cleanups.due_ms
        """
    ) { row in
        let lease = try row.int(2)
        return Cleanup.Subject(storedKind: try row.text(0), id: try row.text(1))
            .map { Cleanup(subject: $0, lease: lease) }
    }
    /// Locks the claim. Returns a row if it is unchanged.
    static let holdCleanup = Query(
        "SELECT id FROM cleanups WHERE kind = $1 AND id = $2 AND due_ms = $3 FOR UPDATE")
    /// Renews the lease and returns it.
    static let renewCleanup = Query(
        """
        UPDATE cleanups SET due_ms = \(now) + \(Cleanup.leaseMilliseconds) WHERE kind = $1 AND id = $2
        RETURNING due_ms
        """
    ) { try $0.int(0) }
    /// Deletes the cleanup and returns its last lease.
    static let deleteCleanup = Query("DELETE FROM cleanups WHERE kind = $1 AND id = $2 RETURNING due_ms") {
        try $0.int(0)
    }

    // MARK: Outbox

    /// Adds entries in the order of the arrays, so that their IDs rise in this order. `$4` is the date; `NULL` selects
    /// the current time.
    static let insertOutboxEntries = Query(
        """
        INSERT INTO outbox (thread_id, kind, payload, created_ms)
        SELECT thread_id, kind, payload, coalesce($4, \(now))
        FROM unnest($1, $2, $3) WITH ORDINALITY AS new (thread_id, kind, payload, place) ORDER BY place
        RETURNING id
        """
    ) { try $0.int(0) }
    package static let entries = Query(
        "SELECT id, thread_id, kind, payload FROM outbox ORDER BY id LIMIT $1", entry)
    /// `$1` is the minimum age in milliseconds, and `$2` the entry after which the page begins.
    package static let overdueEntries = Query(
        """
        SELECT id, thread_id, kind, payload FROM outbox WHERE id > $2 AND created_ms <= \(now) - $1
        ORDER BY id LIMIT $3
        """, entry)
    package static let entriesOfThread = Query(
        """
        SELECT id, thread_id, kind, payload FROM outbox WHERE thread_id = $2 ORDER BY thread_id, id LIMIT $1
        """, entry)
    static let entry: @Sendable (Row) throws -> OutboxEntry = { row in
        OutboxEntry(
            id: try row.int(0), thread: try row.thread(1),
            content: OutboxEntry.Content(storedKind: try row.text(2), payload: try row.text(3)))
    }
    package static let complete = Statement("DELETE FROM outbox WHERE id = ANY ($1)")
}
