extension Migration {
    /// The effects of v1 events on messages and members, and full-text search.
    ///
    /// - `messages.text` is the current text, and `first_text` the original one of an edited message. Both are cleared
    ///   when the message is deleted (`deleted_ms`) or its author erased (`is_erased`).
    /// - `messages.edited_seq` is the seq of the edit that `text` comes from; an older edit that arrives late has no
    ///   effect.
    /// - `messages_deleted` counts the messages deleted after a read cursor without reading the table: unread is
    ///   `head_n - read_n` minus that. Nothing is written per member, and a cursor at the end has nothing to count.
    /// - `events.user_id` and the other columns are those of `EventFields`.
    /// - `reactions` holds the current reactions.
    /// - `rid` identifies a message in the full-text index; the hidden rowid would change with a VACUUM.
    /// - The messages of a user are found by `messages_by_client_id` and, without a `client_id`, by
    ///   `messages_by_sender`: each message is in one of the two indexes.
    static let events = Migration(
        number: 3, name: "v1 events",
        sql: """
            ALTER TABLE users ADD COLUMN erased_ms INTEGER;

            CREATE TABLE new_messages (
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
                UNIQUE (thread_id, seq)
            ) STRICT;
            INSERT INTO new_messages
                (thread_id, seq, id, epoch, date_ms, n, sender_id, sender_name, client_id, text)
            SELECT thread_id, seq, id, epoch, date_ms, n, sender_id, sender_name, client_id, text FROM messages;
            DROP TABLE messages;
            ALTER TABLE new_messages RENAME TO messages;
            CREATE UNIQUE INDEX messages_by_id ON messages (thread_id, id);
            CREATE UNIQUE INDEX messages_by_client_id ON messages (sender_id, client_id) WHERE client_id IS NOT NULL;
            CREATE INDEX messages_by_sender ON messages (sender_id, thread_id, seq) WHERE client_id IS NULL;
            CREATE INDEX messages_by_date ON messages (thread_id, date_ms, seq);
            CREATE INDEX messages_deleted ON messages (thread_id, seq, deleted_ms) WHERE deleted_ms IS NOT NULL;

            CREATE VIRTUAL TABLE messages_text USING fts5 (
                text, content = 'messages', content_rowid = 'rid', tokenize = 'unicode61 remove_diacritics 0');
            INSERT INTO messages_text (messages_text) VALUES ('rebuild');
            CREATE TRIGGER messages_text_insert AFTER INSERT ON messages BEGIN
                INSERT INTO messages_text (rowid, text) VALUES (new.rid, new.text);
            END;
            CREATE TRIGGER messages_text_update AFTER UPDATE OF text ON messages BEGIN
                INSERT INTO messages_text (messages_text, rowid, text) VALUES ('delete', old.rid, old.text);
                INSERT INTO messages_text (rowid, text) VALUES (new.rid, new.text);
            END;
            CREATE TRIGGER messages_text_delete AFTER DELETE ON messages BEGIN
                INSERT INTO messages_text (messages_text, rowid, text) VALUES ('delete', old.rid, old.text);
            END;

            ALTER TABLE events ADD COLUMN by_id TEXT;
            ALTER TABLE events ADD COLUMN message_id TEXT;
            ALTER TABLE events ADD COLUMN message_seq INTEGER;
            ALTER TABLE events ADD COLUMN text TEXT;
            ALTER TABLE events ADD COLUMN is_on INTEGER;
            CREATE INDEX events_of_edits ON events (thread_id, message_id) WHERE kind = 'edited';
            CREATE INDEX events_of_named_users ON events (user_id) WHERE user_name <> '';

            CREATE TABLE reactions (
                thread_id TEXT NOT NULL REFERENCES threads (id),
                message_seq INTEGER NOT NULL,
                emoji TEXT NOT NULL,
                user_id TEXT NOT NULL,
                PRIMARY KEY (thread_id, message_seq, emoji, user_id)
            ) STRICT, WITHOUT ROWID;
            """)
}
