/// Statements for users, sessions and memberships. The statements of `Directory` take their keys as a JSON array, so
/// that one statement serves any number of keys.
package enum AccountQueries {
    package static let insertUser = """
        INSERT INTO users (id, name, password_hash, origin, created_ms, look, second_look) VALUES (?, ?, ?, ?, ?, ?, ?)
        """
    /// Whether a user has one of two looks. Names in ASCII are only compared in lower case: `?3` is the lower-case name
    /// for these, and `NULL` for others.
    package static let lookIsTaken = """
        SELECT EXISTS (
            SELECT 1 FROM users WHERE (look = ?1 OR look = ?2 OR second_look = ?1 OR second_look = ?2)
                AND (?3 IS NULL OR length(name) <> length(CAST(name AS BLOB)) OR lower(name) = ?3))
        """
    package static let credentials = """
        SELECT id, name, password_hash, credentials_version, \(SuspensionQueries.columns) FROM users
        WHERE name = ? AND erased_ms IS NULL
        """

    package static let insertSession = """
        INSERT INTO sessions (token_hash, user_id, expires_ms)
        SELECT ?1, id, ?3 FROM users WHERE id = ?2 AND credentials_version = ?4 AND erased_ms IS NULL
        """
    package static let sessionsOfUser = """
        SELECT token_hash, expires_ms FROM sessions
        WHERE user_id = ?1 AND expires_ms > ?2 AND (expires_ms < ?3 OR (expires_ms = ?3 AND token_hash > ?4))
        ORDER BY expires_ms DESC, token_hash LIMIT ?5
        """
    /// The hashes with a prefix sort between the prefix and the prefix followed by a character above any hex digit.
    package static let sessionByPrefix = """
        SELECT token_hash, expires_ms FROM sessions
        WHERE user_id = ?1 AND token_hash >= ?2 AND token_hash < ?2 || '~' ORDER BY token_hash LIMIT 1
        """
    package static let deleteSession = "DELETE FROM sessions WHERE token_hash = ? RETURNING user_id"
    package static let purgeSessions = """
        DELETE FROM sessions WHERE token_hash IN (
            SELECT token_hash FROM sessions WHERE expires_ms < ? ORDER BY expires_ms LIMIT ?)
        """

    package static let publicRoomOfTitle = """
        SELECT id, kind, title, visibility FROM threads WHERE title = ? AND visibility = 'public'
        """
    package static let insertRoom = """
        INSERT INTO threads (id, kind, title, visibility, history, created_ms) VALUES (?, 'room', ?, ?, ?, ?)
        """
    package static let membershipsByTitle = """
        SELECT threads.id, threads.kind, threads.title, threads.visibility, members.role, \(SanctionQueries.memberColumns)
        FROM threads
        JOIN members ON members.thread_id = threads.id AND members.user_id = ?2
        \(SanctionQueries.joinMute)
        WHERE threads.title = ?1 AND threads.kind = 'room'
        """
    package static let role = "SELECT role FROM members WHERE thread_id = ? AND user_id = ?"
    package static let restrictions = "SELECT kind FROM restrictions WHERE thread_id = ? AND user_id = ?"
    package static let insertMember = """
        INSERT INTO members (thread_id, user_id, role, read_seq, read_n, joined_ms, visible_from)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """

    package static let usersByID = """
        SELECT id, name, \(SuspensionQueries.columns) FROM users
        WHERE id IN (SELECT value FROM json_each(?)) AND erased_ms IS NULL
        """
    package static let usersByName = """
        SELECT id, name, \(SuspensionQueries.columns) FROM users
        WHERE name IN (SELECT value FROM json_each(?)) AND erased_ms IS NULL
        """

    package static let sessions = """
        SELECT sessions.token_hash, sessions.expires_ms, users.id, users.name, \(SuspensionQueries.columns)
        FROM sessions JOIN users ON users.id = sessions.user_id
        WHERE sessions.token_hash IN (SELECT value FROM json_each(?)) AND users.erased_ms IS NULL
        """

    package static let memberships = selectMemberships + "WHERE members.user_id IN (SELECT value FROM json_each(?))"
    package static let membershipsAtPlaces =
        selectMemberships + """
            WHERE (members.thread_id, members.user_id) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))
            """
    private static let selectMemberships = """
        SELECT members.user_id, members.role, threads.id, threads.kind, coalesce(threads.title, peer.name, \(EntranceQueries.namesOfGroup), ''),
            threads.visibility, peer.id, peer.name, \(SanctionQueries.memberColumns)
        FROM members
        JOIN threads ON threads.id = members.thread_id
        \(SanctionQueries.joinMute)
        LEFT JOIN users AS peer ON peer.id = iif(
            threads.first_user_id = members.user_id, threads.second_user_id, threads.first_user_id)

        """

    /// Returns the given pairs of users that share a thread.
    package static let peers = """
        SELECT value ->> 0, value ->> 1 FROM json_each(?) WHERE EXISTS (
            SELECT 1 FROM members AS theirs
            JOIN members AS mine ON mine.thread_id = theirs.thread_id AND mine.user_id = value ->> 0
            WHERE theirs.user_id = value ->> 1)
            AND NOT \(BlockQueries.isBlocked("(value ->> 0)", "(value ->> 1)"))
        """

    package static let threadsByID = """
        SELECT id, kind, coalesce(title, \(EntranceQueries.namesOfGroup), ''), visibility FROM threads
        WHERE id IN (SELECT value FROM json_each(?))
        """
    package static let roomsByTitle = """
        SELECT id, kind, title, visibility FROM threads
        WHERE title IN (SELECT value FROM json_each(?)) AND visibility = 'public'
        """

    package static let apiKeys = """
        SELECT hash, name, created_ms FROM api_keys WHERE hash IN (SELECT value FROM json_each(?))
        """

    // MARK: Erasure

    /// A repeated erasure keeps the date of the first.
    package static let eraseUser = """
        UPDATE users SET name = ?1, password_hash = NULL, display_name = NULL, avatar_url = NULL,
            suspended_ms = NULL, suspended_until_ms = NULL, suspension_reason = NULL, suspended_by = NULL,
            operator_ms = NULL, look = NULL, second_look = NULL, erased_ms = coalesce(erased_ms, ?2) WHERE id = ?3
        """
    package static let deleteSessionsOfUser = "DELETE FROM sessions WHERE user_id = ?"
    /// Whether the erasure of a user is in progress. Rows may then still contain texts and names of the user, which
    /// readers must not show.
    static func isErasing(_ user: String) -> String {
        "EXISTS (SELECT 1 FROM cleanups WHERE cleanups.kind = 'user' AND cleanups.id = \(user))"
    }

    /// Renames the user in some of the events that still contain another name, and returns their threads.
    package static let eraseNames = """
        UPDATE events SET user_name = ?1 WHERE (thread_id, seq) IN (
            SELECT thread_id, seq FROM events WHERE user_id = ?2 AND user_name <> '' AND user_name <> ?1 LIMIT ?3)
        RETURNING thread_id
        """
    /// Returns the user's messages with a `client_id`. `sentWithoutClientID` returns the others; each statement uses an
    /// index of its own.
    package static let sentWithClientID = """
        SELECT thread_id, seq, id, is_erased, client_id FROM messages
        WHERE sender_id = ? AND client_id IS NOT NULL AND client_id > ? ORDER BY client_id LIMIT ?
        """
    /// Returns the user's messages without a `client_id`.
    package static let sentWithoutClientID = """
        SELECT thread_id, seq, id, is_erased, client_id FROM messages
        WHERE sender_id = ? AND client_id IS NULL AND (thread_id, seq) > (?, ?) ORDER BY thread_id, seq LIMIT ?
        """
    package static let eraseMessage = """
        UPDATE messages SET text = '', first_text = NULL, parts = NULL, edited_ms = NULL, edited_seq = NULL,
            sender_name = ?, is_erased = 1, content_digest = \(SendQueries.digest)
        WHERE thread_id = ? AND seq = ?
        """
    /// Returns the places of some of the events about a user's reactions, with the message and emoji of each.
    package static let reactionsOfUser = """
        SELECT thread_id, seq, message_seq, text FROM events
        WHERE user_id = ? AND kind = 'reaction' AND text <> '' LIMIT ?
        """
    package static let eraseReaction = "UPDATE events SET text = '', is_on = 0 WHERE thread_id = ? AND seq = ?"
    /// Returns some of the `client_id`s of the user's messages that are later uses.
    package static let laterClientIDs = "SELECT DISTINCT client_id FROM later_sends WHERE sender_id = ? LIMIT ?"
    package static let forgetClientID = """
        UPDATE messages SET client_id = NULL, content_digest = NULL WHERE sender_id = ? AND client_id = ?
        """
    package static let forgetLaterClientID = """
        UPDATE messages SET later_client_id = NULL, content_digest = NULL WHERE (thread_id, seq) IN (
            SELECT thread_id, seq FROM later_sends WHERE sender_id = ? AND client_id = ?)
        """
    package static let deleteLaterSends = "DELETE FROM later_sends WHERE sender_id = ? AND client_id = ?"
    /// Rejected entries are few and have no index by user. Entries that could not be decoded are kept.
    package static let eraseRejects = "UPDATE ingest_rejects SET bytes = x'' WHERE instr(bytes, ?) > 0"

    // MARK: Administration

    package static let userByID = "SELECT id, name FROM users WHERE id = ?"
    package static let userByName = "SELECT id, name FROM users WHERE name = ?"
    package static let threadWithHead = """
        SELECT id, kind, coalesce(title, ''), visibility, head_seq, head_n, history FROM threads WHERE id = ?
        """

    /// The texts with a prefix sort between the prefix and the prefix followed by the last Unicode scalar.
    package static let usersByPrefix = """
        SELECT id, name FROM users WHERE name >= ?1 AND name < ?1 || char(1114111) AND erased_ms IS NULL
        ORDER BY name LIMIT ?2
        """
    package static let roomsByPrefix = """
        SELECT id, kind, title, visibility FROM threads WHERE title >= ?1 AND title < ?1 || char(1114111)
        ORDER BY title, id LIMIT ?2
        """

    package static let operatorStatus = """
        SELECT operator_ms IS NOT NULL, origin FROM users WHERE id = ? AND erased_ms IS NULL
        """
    package static let operators = """
        SELECT id, name FROM users WHERE operator_ms IS NOT NULL AND erased_ms IS NULL ORDER BY name LIMIT ?
        """

    package static let insertAPIKey = "INSERT INTO api_keys (hash, name, created_ms) VALUES (?, ?, ?)"
    package static let apiKeysByName = "SELECT hash, name, created_ms FROM api_keys ORDER BY name LIMIT ?"
    package static let deleteAPIKey = "DELETE FROM api_keys WHERE name = ?"
}
