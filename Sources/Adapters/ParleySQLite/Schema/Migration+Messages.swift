extension Migration {
    /// The stored log: messages, other events, current reactions, and the uses of `client_id`s and seqs.
    ///
    /// - `messages` and `events` share the `seq`s of a thread. `n` is the number of messages in the thread up to and
    ///   including the row. Authors need not be users, since guests of the line listener have no account.
    /// - `messages.rid` identifies a message in the full-text index. A `VACUUM` would change the hidden rowid.
    /// - `messages.text` is the current text, and `first_text` the original text of an edited message. Both are cleared
    ///   when the message is deleted (`deleted_ms`) or its author is erased (`is_erased`). `edited_seq` is the seq of
    ///   the edit that supplied `text`; an older edit that arrives late has no effect.
    /// - `messages.client_id` is the `client_id` of its first use, and unique. If another message with the same
    ///   `client_id` was accepted while the database could not be queried, its `client_id` is stored in
    ///   `later_client_id` and indexed by `later_sends`.
    /// - `messages.content_digest`: a digest of the content of a message with a `client_id` whose text was removed; see
    ///   `ContentKey`.
    /// - `messages_by_client_id` finds the messages of a user with a `client_id`, and `messages_by_sender` the messages
    ///   without one. Each message is in one of the two indexes.
    /// - `messages_deleted` counts the messages deleted after a read cursor without reading the table; the unread count
    ///   is `head_n - read_n` minus this number. A deletion writes nothing per member, and a cursor at the head has
    ///   nothing to count.
    /// - `events.log_seq` is the seq that the log assigned, and `seq` is the seq in this store. The columns from
    ///   `user_id` on correspond to `EventFields`.
    /// - `events_of_reacting_users`: the erasure of a user finds the events about the user's reactions, which contain
    ///   the emoji.
    /// - `repeats`: seqs that the log used for content that was already stored at `first_seq` (`NULL` for an outbox
    ///   event). Together with `messages` and `events`, they account for every seq that was stored.
    static let messages = """
        CREATE TABLE messages (
            rid INTEGER NOT NULL PRIMARY KEY,
            thread_id TEXT NOT NULL REFERENCES threads (id),
            seq INTEGER NOT NULL CHECK (seq > 0),
            id TEXT NOT NULL,
            epoch TEXT NOT NULL,
            date_ms INTEGER NOT NULL,
            n INTEGER NOT NULL,
            sender_id TEXT NOT NULL,
            sender_name TEXT NOT NULL,
            client_id TEXT,
            text TEXT NOT NULL,
            parts TEXT,
            reply_to INTEGER,
            first_text TEXT,
            edited_ms INTEGER,
            edited_seq INTEGER,
            deleted_ms INTEGER,
            is_erased INTEGER NOT NULL DEFAULT 0,
            later_client_id TEXT,
            content_digest BLOB,
            UNIQUE (thread_id, seq)
        ) STRICT;
        CREATE UNIQUE INDEX messages_by_id ON messages (thread_id, id);
        CREATE UNIQUE INDEX messages_by_client_id ON messages (sender_id, client_id) WHERE client_id IS NOT NULL;
        CREATE INDEX messages_by_sender ON messages (sender_id, thread_id, seq) WHERE client_id IS NULL;
        CREATE INDEX messages_by_date ON messages (thread_id, date_ms, seq);
        CREATE INDEX messages_deleted ON messages (thread_id, seq, deleted_ms) WHERE deleted_ms IS NOT NULL;

        CREATE TABLE events (
            thread_id TEXT NOT NULL REFERENCES threads (id),
            seq INTEGER NOT NULL CHECK (seq > 0),
            log_seq INTEGER NOT NULL,
            epoch TEXT NOT NULL,
            date_ms INTEGER NOT NULL,
            n INTEGER NOT NULL,
            kind TEXT NOT NULL,
            user_id TEXT NOT NULL,
            user_name TEXT NOT NULL,
            by_id TEXT,
            message_id TEXT,
            message_seq INTEGER,
            text TEXT,
            is_on INTEGER,
            PRIMARY KEY (thread_id, seq)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX events_of_edits ON events (thread_id, message_id) WHERE kind = 'edited';
        CREATE INDEX events_of_named_users ON events (user_id) WHERE user_name <> '';
        CREATE INDEX events_of_reacting_users ON events (user_id) WHERE kind = 'reaction' AND text <> '';

        CREATE TABLE reactions (
            thread_id TEXT NOT NULL REFERENCES threads (id),
            message_seq INTEGER NOT NULL,
            emoji TEXT NOT NULL,
            user_id TEXT NOT NULL,
            PRIMARY KEY (thread_id, message_seq, emoji, user_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE later_sends (
            sender_id TEXT NOT NULL,
            client_id TEXT NOT NULL,
            thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
            seq INTEGER NOT NULL,
            PRIMARY KEY (sender_id, client_id, thread_id, seq)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX later_sends_by_thread ON later_sends (thread_id, seq);

        CREATE TABLE repeats (
            thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
            seq INTEGER NOT NULL CHECK (seq > 0),
            epoch TEXT NOT NULL,
            message_id TEXT,
            first_seq INTEGER,
            PRIMARY KEY (thread_id, seq)
        ) STRICT, WITHOUT ROWID;

        """

    /// Texts are added to the full-text index in batches; see `SQLiteStore.indexTexts`.
    ///
    /// - `messages_text_end` has one row. The index contains exactly the messages up to its `rid`.
    /// - SQLite assigns the highest `rid` again after its message was deleted. The deletion of the newest message
    ///   therefore lowers the end of the index.
    static let textIndex = """
        CREATE VIRTUAL TABLE messages_text USING fts5 (
            text, content = 'messages', content_rowid = 'rid', tokenize = 'unicode61 remove_diacritics 0');
        CREATE TABLE messages_text_end (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            rid INTEGER NOT NULL
        ) STRICT;
        INSERT INTO messages_text_end (id, rid) VALUES (1, 0);
        CREATE TRIGGER messages_text_update AFTER UPDATE OF text ON messages
        WHEN old.rid <= (SELECT rid FROM messages_text_end WHERE id = 1) BEGIN
            INSERT INTO messages_text (messages_text, rowid, text) VALUES ('delete', old.rid, old.text);
            INSERT INTO messages_text (rowid, text) VALUES (new.rid, new.text);
        END;
        CREATE TRIGGER messages_text_delete AFTER DELETE ON messages
        WHEN old.rid <= (SELECT rid FROM messages_text_end WHERE id = 1) BEGIN
            INSERT INTO messages_text (messages_text, rowid, text) VALUES ('delete', old.rid, old.text);
            UPDATE messages_text_end SET rid = min(rid, (SELECT coalesce(max(rid), 0) FROM messages)) WHERE id = 1;
        END;

        """
}
