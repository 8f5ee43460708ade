import ParleyModel

/// The statements of `StateStore`.
package enum StateQueries {
    // MARK: Roles and users

    /// The thread, the roles of two users, and the restrictions of the second; no row if there is no such thread.
    package static let roles = Statement(
        """
        SELECT threads.kind, coalesce(threads.title, ''), asker.role, subject.role,
            \(isRestricted(.removed, "$3")), \(isRestricted(.readOnly, "$3"))
        FROM threads
        LEFT JOIN members AS asker ON asker.thread_id = threads.id AND asker.user_id = $2
        LEFT JOIN members AS subject ON subject.thread_id = threads.id AND subject.user_id = $3
        WHERE threads.id = $1
        """)

    /// Returns a row if the user exists and is not erased, and keeps it so until the transaction ends.
    package static let holdUser = Statement(
        "SELECT 0::bigint FROM users WHERE id = $1 AND erased_ms IS NULL FOR KEY SHARE")

    /// The role and the restrictions of a user (`$3`) in a room that still has a title; no row if it has another.
    package static let roomOfTitle = Statement(
        """
        SELECT members.role, \(isRestricted(.removed, "$3")), \(isRestricted(.readOnly, "$3")) FROM threads
        LEFT JOIN members ON members.thread_id = threads.id AND members.user_id = $3
        WHERE threads.id = $1 AND threads.title = $2
        """)

    /// Whether a user has a restriction in the thread of a row of `threads`.
    private static func isRestricted(_ kind: Restrictions.Kind, _ user: String) -> String {
        """
        EXISTS (
            SELECT 1 FROM restrictions WHERE restrictions.thread_id = threads.id AND restrictions.user_id = \(user)
                AND restrictions.kind = '\(kind.rawValue)')
        """
    }

    /// Restricts a user who exists and is not erased, and keeps it so until the transaction ends.
    package static let restrict = Statement(
        """
        INSERT INTO restrictions (thread_id, user_id, kind, since_ms)
        SELECT $1, id, $3, $4 FROM users WHERE id = $2 AND erased_ms IS NULL FOR KEY SHARE
        ON CONFLICT DO NOTHING
        """)

    package static let setRole = Statement("UPDATE members SET role = $1 WHERE thread_id = $2 AND user_id = $3")
    package static let removeMember = Statement("DELETE FROM members WHERE thread_id = $1 AND user_id = $2")

    // MARK: Deletion of a thread

    /// Locks the thread until the transaction ends: no batch is written to it, and no user joins.
    static let holdThread = Statement("SELECT epoch FROM threads WHERE id = $1 FOR UPDATE")
    package static let membersOfThread = Statement(
        "SELECT user_id FROM members WHERE thread_id = $1 ORDER BY user_id")
    static let insertDeletedEpochs = Statement(
        """
        INSERT INTO deleted_epochs (thread_id, epoch, deleted_ms) SELECT $1, epoch, $3 FROM unnest($2) AS epoch
        ON CONFLICT DO NOTHING
        """)

    // MARK: Accounts

    /// Raises the credentials version even if the hash is unchanged. Returns a row if there is such an account.
    package static let setPassword = Statement(
        """
        UPDATE users SET password_hash = $1, credentials_version = credentials_version + 1
        WHERE id = $2 AND erased_ms IS NULL AND ($3::bigint IS NULL OR credentials_version = $3)
        RETURNING 0::bigint
        """)
    /// Returns a row if this changes anything.
    package static let grantOperator = Statement(
        """
        UPDATE users SET operator_ms = $2 WHERE id = $1 AND operator_ms IS NULL AND erased_ms IS NULL
        RETURNING 0::bigint
        """)
    /// As `grantOperator`.
    package static let revokeOperator = Statement(
        "UPDATE users SET operator_ms = NULL WHERE id = $1 AND operator_ms IS NOT NULL RETURNING 0::bigint")
    package static let invalidateCredentials = Statement(
        "UPDATE users SET credentials_version = credentials_version + 1 WHERE id = $1 AND erased_ms IS NULL")

    package static let threadsOfMember = Statement(
        "SELECT thread_id FROM members WHERE user_id = $1 ORDER BY user_id, thread_id LIMIT $2")
    /// Returns the threads that are rooms first, since their outbox entries come first.
    package static let leaveThreads = Statement(
        """
        DELETE FROM members USING threads
        WHERE members.thread_id = ANY ($2) AND members.user_id = $1 AND threads.id = members.thread_id
        RETURNING members.thread_id, threads.kind
        """)

    // MARK: Cleanups

    /// In Unix milliseconds. The server's clock dates and compares, since those of nodes may differ by minutes.
    private static let now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
    static let time = Statement("SELECT \(now)")

    static let insertCleanup = Statement(
        "INSERT INTO cleanups (kind, id, due_ms) VALUES ($1, $2, \(now)) ON CONFLICT DO NOTHING")
    package static let claimCleanups = Statement(
        """
        WITH due AS MATERIALIZED (
            SELECT kind, id FROM cleanups WHERE due_ms <= \(now) ORDER BY due_ms LIMIT $1 FOR UPDATE SKIP LOCKED)
        UPDATE cleanups SET due_ms = \(now) + \(Cleanup.leaseMilliseconds)
        FROM due WHERE cleanups.kind = due.kind AND cleanups.id = due.id
        RETURNING cleanups.kind, cleanups.id, cleanups.due_ms
        """)
    /// Returns a row if the claim is unchanged, and locks it.
    static let holdCleanup = Statement(
        "SELECT id FROM cleanups WHERE kind = $1 AND id = $2 AND due_ms = $3 FOR UPDATE")
    static let renewCleanup = Statement(
        """
        UPDATE cleanups SET due_ms = \(now) + \(Cleanup.leaseMilliseconds) WHERE kind = $1 AND id = $2
        RETURNING due_ms
        """)
    static let deleteCleanup = Statement("DELETE FROM cleanups WHERE kind = $1 AND id = $2")

    // MARK: Outbox

    /// Adds entries in the order of the arrays, so that the ids rise with it. `$4` is the date; `NULL` for now.
    static let insertOutboxEntries = Statement(
        """
        INSERT INTO outbox (thread_id, kind, payload, created_ms)
        SELECT thread_id, kind, payload, coalesce($4, \(now))
        FROM unnest($1, $2, $3) WITH ORDINALITY AS new (thread_id, kind, payload, place) ORDER BY place
        RETURNING id
        """)
    package static let entries = Statement("SELECT id, thread_id, kind, payload FROM outbox ORDER BY id LIMIT $1")
    /// `$1` is the minimum age, `$2` the entry after which the page begins.
    package static let overdueEntries = Statement(
        """
        SELECT id, thread_id, kind, payload FROM outbox WHERE id > $2 AND created_ms <= \(now) - $1
        ORDER BY id LIMIT $3
        """)
    package static let entriesOfThread = Statement(
        """
        SELECT id, thread_id, kind, payload FROM outbox WHERE thread_id = $2 ORDER BY thread_id, id LIMIT $1
        """)
    package static let complete = Statement("DELETE FROM outbox WHERE id = ANY ($1)")
}
