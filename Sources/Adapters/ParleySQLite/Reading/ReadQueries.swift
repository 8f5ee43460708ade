import ParleyModel

/// Statements that read what members see. None of them scans rows that it does not return.
package enum ReadQueries {
    /// The columns of `LogEvent.init(messageRow:thread:)`, in its order.
    private static let message = """
        seq, epoch, date_ms, n, id, sender_id, sender_name, text, coalesce(client_id, later_client_id), parts, reply_to,
        edited_ms,
        deleted_ms IS NOT NULL, is_erased OR \(AccountQueries.isErasing("messages.sender_id")),
        \(displayName(of: "messages.sender_id"))
        """

    /// The present display name of a sender; `NULL` if it equals the username.
    private static func displayName(of sender: String) -> String {
        "(SELECT nullif(users.display_name, users.name) FROM users WHERE users.id = \(sender))"
    }

    /// The number of columns of a message. Other columns follow them.
    static let messageColumns = 15

    package static let newestMessages = """
        SELECT \(message) FROM messages WHERE thread_id = ? AND seq > ? AND seq < ? ORDER BY seq DESC LIMIT ?
        """

    package static let oldestMessages = """
        SELECT \(message) FROM messages WHERE thread_id = ? AND seq > ? AND seq < ? ORDER BY seq LIMIT ?
        """

    /// Returns the reactions to messages in a range of seqs, ordered by seq, emoji and user.
    package static let reactions = """
        SELECT message_seq, emoji, user_id FROM reactions
        WHERE thread_id = ? AND message_seq BETWEEN ? AND ? ORDER BY message_seq, emoji, user_id
        """

    /// The last seq before a date.
    package static let lastSeqBefore = """
        SELECT seq FROM messages WHERE thread_id = ? AND date_ms < ? ORDER BY date_ms DESC, seq DESC LIMIT 1
        """

    /// The last seq at or before a date.
    package static let lastSeqUpTo = """
        SELECT seq FROM messages WHERE thread_id = ? AND date_ms <= ? ORDER BY date_ms DESC, seq DESC LIMIT 1
        """

    /// The first seq at or after a date.
    package static let firstSeqFrom = """
        SELECT seq FROM messages WHERE thread_id = ? AND date_ms >= ? ORDER BY date_ms, seq LIMIT 1
        """

    /// The columns of `LogEvent.init(eventRow:thread:)`, in its order.
    package static let oldestEvents = """
        SELECT \(event) FROM events WHERE thread_id = ? AND seq > ? ORDER BY seq LIMIT ?
        """

    /// An edit shows the current text of its message.
    private static let event = """
        seq, epoch, date_ms, n, kind, user_id,
        iif(user_name <> '' AND \(AccountQueries.isErasing("events.user_id")), '\(User.erasedPrefix)' || user_id, user_name),
        by_id, message_id, message_seq,
        iif(kind <> 'edited', text, coalesce(
            (SELECT messages.text FROM messages
                WHERE messages.thread_id = events.thread_id AND messages.seq = events.message_seq
                    AND NOT \(AccountQueries.isErasing("messages.sender_id"))),
            '')),
        is_on
        """

    package static let head = "SELECT epoch, head_seq, head_ms, head_n FROM threads WHERE id = ? AND epoch IS NOT NULL"

    /// The columns of the last message in `memberThreads`, and of the thread as its member sees it.
    private static let memberThread = """
        last.seq, last.epoch, last.date_ms, last.n, last.id, last.sender_id, last.sender_name, last.text,
        coalesce(last.client_id, last.later_client_id), last.parts, last.reply_to, last.edited_ms, last.deleted_ms IS NOT NULL,
        last.is_erased OR \(AccountQueries.isErasing("last.sender_id")), \(displayName(of: "last.sender_id")),
        threads.id, threads.kind, coalesce(threads.title, peer.name, \(EntranceQueries.namesOfGroup), ''), threads.visibility
        """

    /// The unread count. A cursor without a message number was set beyond the head, and one below the start of the log counts
    /// from that start; the number is then looked up. Messages deleted after the cursor are counted in an index that only
    /// contains deleted messages.
    private static let unread = """
        threads.head_n - coalesce(
            CASE WHEN members.read_seq >= members.visible_from - 1 THEN members.read_n END,
            (SELECT n FROM messages WHERE thread_id = threads.id AND seq <= \(readThrough) ORDER BY seq DESC LIMIT 1),
            0)
        - (SELECT count(*) FROM messages
            WHERE thread_id = threads.id AND seq > \(readThrough) AND deleted_ms IS NOT NULL)
        """

    /// The read cursor, and at least the end of what the member does not see.
    private static let readThrough = "max(members.read_seq, members.visible_from - 1)"

    private static let memberThreads = """
        members
        JOIN threads ON threads.id = members.thread_id
        LEFT JOIN messages AS last ON last.thread_id = threads.id AND last.seq = threads.last_message_seq
            AND last.seq >= members.visible_from
        LEFT JOIN users AS peer ON peer.id = iif(
            threads.first_user_id = members.user_id, threads.second_user_id, threads.first_user_id)
        """

    private static let activity = "coalesce(last.date_ms, members.joined_ms)"

    package static let inbox = """
        SELECT \(memberThread), \(unread)
        FROM \(memberThreads)
        WHERE members.user_id = ? AND (threads.options IS NULL OR (threads.options ->> 'archived') IS NOT 1)
        ORDER BY \(activity) DESC, threads.id
        """

    /// The threads of a user, with the columns of a list.
    private static let summaries = """
        SELECT \(memberThread), peer.id, peer.name, members.role, threads.epoch, threads.head_seq, members.read_seq,
            \(unread), \(activity), \(SanctionQueries.memberColumns)
        FROM \(memberThreads)
        \(SanctionQueries.joinMute)
        WHERE members.user_id = ?1
        """

    /// Returns a single thread.
    package static let thread = "\(summaries) AND members.thread_id = ?2"

    /// Returns a page of a user's threads, which begins after a place; `NULL` selects the first page.
    package static let threads = """
        \(summaries)
            AND (?2 IS NULL OR \(activity) < ?2 OR (\(activity) = ?2 AND threads.id > ?3))
        ORDER BY \(activity) DESC, threads.id LIMIT ?4
        """

    /// Returns the first threads in the same order, with their unread counts.
    package static let readStates = """
        SELECT threads.id, members.read_seq, \(unread)
        FROM members
        JOIN threads ON threads.id = members.thread_id
        LEFT JOIN messages AS last ON last.thread_id = threads.id AND last.seq = threads.last_message_seq
            AND last.seq >= members.visible_from
        WHERE members.user_id = ?
        ORDER BY \(activity) DESC, threads.id LIMIT ?
        """

    // MARK: All threads

    package static let messagePlace = """
        SELECT seq, sender_id, deleted_ms IS NOT NULL OR is_erased OR \(AccountQueries.isErasing("sender_id"))
        FROM messages WHERE thread_id = ? AND id = ?
        """

    /// Takes pairs of thread and ID as a JSON array. The order of the joins makes each message an index lookup.
    package static let goneMessages = """
        SELECT messages.thread_id, messages.id FROM json_each(?) CROSS JOIN messages
            ON messages.thread_id = json_extract(value, '$[0]') AND messages.id = json_extract(value, '$[1]')
        WHERE messages.deleted_ms IS NOT NULL OR messages.is_erased OR EXISTS (
            SELECT 1 FROM users WHERE users.id = messages.sender_id AND users.erased_ms IS NOT NULL)
        """

    /// Searches the full-text index, and reads every match for its date.
    package static let search = """
        SELECT \(message), thread_id FROM messages
        WHERE rid IN (SELECT rowid FROM messages_text WHERE messages_text MATCH ?1)
            AND seq >= (SELECT members.visible_from FROM members
                WHERE members.thread_id = messages.thread_id AND members.user_id = ?2)
            AND (?3 IS NULL OR thread_id = ?3) AND NOT \(AccountQueries.isErasing("sender_id"))
        ORDER BY date_ms DESC, thread_id, seq DESC LIMIT ?4
        """

    package static let sentWithClientID = """
        SELECT \(message), thread_id FROM messages
        WHERE sender_id = ? AND client_id IS NOT NULL AND client_id > ? ORDER BY client_id LIMIT ?
        """

    package static let sentWithoutClientID = """
        SELECT \(message), thread_id FROM messages
        WHERE sender_id = ? AND client_id IS NULL AND (thread_id, seq) > (?, ?) ORDER BY thread_id, seq LIMIT ?
        """

    /// Moves the cursor of user `?3` in thread `?2` to `?1`, by a mark made at `?4`. `?5` is the current time, which
    /// replaces a later time of the mark.
    ///
    /// A late mark that moves the cursor forward takes effect, unless a later mark has moved the cursor back. A late
    /// mark that moves the cursor back takes effect, unless a later mark has moved the cursor at all. If the clock of a
    /// node is wrong, the worst effect is a message shown as unread again. If the cursor is already at the seq, only
    /// the time of the latest mark is recorded. A mark without a time always takes effect.
    package static let markRead = """
        UPDATE members SET
            read_seq = ?1,
            read_ms = max(coalesce(read_ms, 0), coalesce(min(?4, ?5), 0)),
            read_back_ms = CASE WHEN ?1 < read_seq AND ?4 IS NOT NULL
                THEN max(coalesce(read_back_ms, 0), min(?4, ?5)) ELSE read_back_ms END,
            read_n = CASE WHEN ?1 > (SELECT head_seq FROM threads WHERE id = ?2) THEN NULL ELSE coalesce(
                (SELECT n FROM messages WHERE thread_id = ?2 AND seq <= ?1 ORDER BY seq DESC LIMIT 1), 0) END
        WHERE thread_id = ?2 AND user_id = ?3 AND CASE
            WHEN ?1 > read_seq THEN ?4 IS NULL OR read_back_ms IS NULL OR read_back_ms <= ?4
            WHEN ?1 < read_seq THEN ?4 IS NULL OR read_ms IS NULL OR read_ms <= ?4
            ELSE ?4 IS NOT NULL AND (read_ms IS NULL OR read_ms < min(?4, ?5)) END
        """

    /// Never moves the cursor back: a cursor beyond the head already covers everything.
    package static let markAllRead = """
        UPDATE members SET (read_seq, read_n) = (SELECT head_seq, head_n FROM threads WHERE id = ?1),
            read_ms = max(coalesce(read_ms, 0), coalesce(min(?3, ?4), 0))
        WHERE thread_id = ?1 AND user_id = ?2 AND read_seq < (SELECT head_seq FROM threads WHERE id = ?1)
        """
}
