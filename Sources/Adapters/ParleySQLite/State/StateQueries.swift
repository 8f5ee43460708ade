import ParleyModel

/// Statements for `StateStore`, `Outbox` and `ChangeFeed`. Each is prepared once per connection.
package enum StateQueries {
    // MARK: Roles and users

    /// Returns a thread, the roles of two users, and the restrictions of the second. Returns no row if the thread does
    /// not exist.
    package static let roles = """
        SELECT threads.id, threads.kind, coalesce(threads.title, \(EntranceQueries.namesOfGroup), ''), threads.visibility, asker.role, subject.role,
            \(isRestricted(.removed)), \(isRestricted(.readOnly)), threads.history, subject.visible_from,
            threads.options, \(BlockQueries.isBlocked("?2", "?3"))
        FROM threads
        LEFT JOIN members AS asker ON asker.thread_id = threads.id AND asker.user_id = ?2
        LEFT JOIN members AS subject ON subject.thread_id = threads.id AND subject.user_id = ?3
        WHERE threads.id = ?1
        """
    /// A condition that the subject of `roles` has a restriction.
    private static func isRestricted(_ kind: Restrictions.Kind) -> String {
        """
        EXISTS (
            SELECT 1 FROM restrictions WHERE restrictions.thread_id = threads.id AND restrictions.user_id = ?3
                AND restrictions.kind = '\(kind.rawValue)')
        """
    }
    package static let restrict = """
        INSERT INTO restrictions (thread_id, user_id, kind, since_ms)
        SELECT ?1, id, ?3, ?4 FROM users WHERE id = ?2 AND erased_ms IS NULL ON CONFLICT DO NOTHING
        """
    package static let isPresent = "SELECT 1 FROM users WHERE id = ? AND erased_ms IS NULL"
    package static let insertMember = """
        INSERT INTO members (thread_id, user_id, role, read_seq, read_n, joined_ms)
        SELECT id, ?2, ?3, head_seq, head_n, ?4 FROM threads WHERE id = ?1
        """
    /// Lets the log of a new member begin with an outbox entry, `?1` being its `HistoryStart.pending`.
    package static let beginLog = "UPDATE members SET visible_from = ?1 WHERE thread_id = ?2 AND user_id = ?3"

    package static let setVisibility = "UPDATE threads SET visibility = ? WHERE id = ? AND kind = 'room'"

    package static let setRoom = """
        UPDATE threads SET options = ?, description = ?, rules = ? WHERE id = ? AND kind <> 'direct'
        """
    package static let details = "SELECT options, description, rules FROM threads WHERE id = ? AND kind <> 'direct'"
    /// Returns the options of the rooms of a JSON array that have others than the standard ones.
    package static let options = """
        SELECT id, options FROM threads WHERE id IN (SELECT value FROM json_each(?)) AND options IS NOT NULL
        """

    package static let setHistory = "UPDATE threads SET history = ? WHERE id = ? AND kind <> 'direct'"
    package static let history = "SELECT history FROM threads WHERE id = ? AND kind <> 'direct'"

    // MARK: Deletion of a thread

    package static let membersOfThread = "SELECT user_id FROM members WHERE thread_id = ? ORDER BY user_id"
    package static let epoch = "SELECT coalesce(epoch, '') FROM threads WHERE id = ?"
    package static let insertDeletedEpoch = """
        INSERT INTO deleted_epochs (thread_id, epoch, deleted_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING
        """

    // MARK: Accounts

    /// Raises the credentials version even if the hash is unchanged.
    package static let setPassword = """
        UPDATE users SET password_hash = ?1, credentials_version = credentials_version + 1
        WHERE id = ?2 AND erased_ms IS NULL AND (?3 IS NULL OR credentials_version = ?3)
        """
    package static let grantOperator = """
        UPDATE users SET operator_ms = ?2 WHERE id = ?1 AND operator_ms IS NULL AND erased_ms IS NULL
        """
    package static let revokeOperator = "UPDATE users SET operator_ms = NULL WHERE id = ? AND operator_ms IS NOT NULL"
    package static let invalidateCredentials = """
        UPDATE users SET credentials_version = credentials_version + 1 WHERE id = ? AND erased_ms IS NULL
        """
    package static let threadsOfMember = """
        SELECT threads.id, threads.kind FROM members JOIN threads ON threads.id = members.thread_id
        WHERE members.user_id = ? ORDER BY members.user_id, members.thread_id
        """

    // MARK: Cleanups

    package static let insertCleanup = """
        INSERT INTO cleanups (kind, id, due_ms) VALUES ('user', ?, ?) ON CONFLICT DO NOTHING
        """
    package static let cleanups = """
        SELECT id FROM cleanups WHERE kind = 'user' AND due_ms <= ? ORDER BY due_ms LIMIT ?
        """
    package static let isClaimed = "SELECT 1 FROM cleanups WHERE kind = 'user' AND id = ? AND due_ms = ?"
    package static let renewCleanup = "UPDATE cleanups SET due_ms = ? WHERE kind = 'user' AND id = ?"
    package static let deleteCleanup = "DELETE FROM cleanups WHERE kind = 'user' AND id = ?"

    // MARK: Outbox

    package static let insertOutboxEntry =
        "INSERT INTO outbox (thread_id, kind, payload, created_ms) VALUES (?, ?, ?, ?)"
    package static let entries = """
        SELECT id, thread_id, kind, payload FROM outbox ORDER BY id LIMIT ?
        """
    package static let overdueEntries = """
        SELECT id, thread_id, kind, payload FROM outbox WHERE id > ? AND created_ms <= ? ORDER BY id LIMIT ?
        """
    /// Returns the threads of a JSON array for which the outbox already has an equal entry.
    package static let threadsWithOutboxEntry = """
        SELECT DISTINCT thread_id FROM outbox
        WHERE thread_id IN (SELECT value FROM json_each(?)) AND kind = ? AND payload = ?
        """
    package static let entriesOfThread = """
        SELECT id, thread_id, kind, payload FROM outbox WHERE thread_id = ?2 ORDER BY id LIMIT ?1
        """
    package static let complete = "DELETE FROM outbox WHERE id = ?"

    // MARK: Feed

    package static let place = "SELECT store, value FROM changes"
    package static let changes = "SELECT subject, changed FROM versions WHERE changed > ? ORDER BY changed LIMIT ?"

    /// Returns one row per membership, or a single row for a user without memberships.
    package static let snapshots = """
        SELECT users.id, users.name, coalesce(versions.version, 0), users.credentials_version, members.role,
            threads.id, threads.kind, coalesce(threads.title, peer.name, \(EntranceQueries.namesOfGroup), ''), threads.visibility, peer.id, peer.name,
            nullif(users.display_name, users.name), \(SanctionQueries.memberColumns), \(SuspensionQueries.columns)
        FROM users
        LEFT JOIN versions ON versions.subject = 'u:' || users.id
        LEFT JOIN members ON members.user_id = users.id
        \(SanctionQueries.joinMute)
        LEFT JOIN threads ON threads.id = members.thread_id
        LEFT JOIN users AS peer ON peer.id = iif(
            threads.first_user_id = users.id, threads.second_user_id, threads.first_user_id)
        WHERE users.id IN (SELECT value FROM json_each(?)) AND users.erased_ms IS NULL
        """
}
