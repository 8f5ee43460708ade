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
    /// - The messages of a user are found by `messages_by_client_id` and, without a `client_id`, by
    ///   `messages_by_sender`: each message is in one of the two indexes. `Migration.hashedIndexes` replaces them.
    /// - `messages_text` contains the thread as one more word, which begins with a space, as no word of a text does. A
    ///   search thus reads only the searcher's threads, however much is sent in others.
    static let events = Migration(
        number: 3, name: "v1 events", oldestNode: 3,
        statements: [
            "ALTER TABLE users ADD COLUMN erased_ms bigint",
            "CREATE INDEX users_erased ON users (id) WHERE erased_ms IS NOT NULL",
            """
            ALTER TABLE messages
                ADD COLUMN parts text COLLATE "C",
                ADD COLUMN reply_to bigint,
                ADD COLUMN first_text text COLLATE "C",
                ADD COLUMN edited_ms bigint,
                ADD COLUMN edited_seq bigint,
                ADD COLUMN deleted_ms bigint,
                ADD COLUMN is_erased boolean NOT NULL DEFAULT false
            """,
            "CREATE INDEX messages_by_sender ON messages (sender_id, thread_id, seq) WHERE client_id IS NULL",
            "CREATE INDEX messages_deleted ON messages (thread_id, seq) WHERE deleted_ms IS NOT NULL",
            """
            CREATE INDEX messages_text ON messages USING gin (
                (to_tsvector('simple', text) || array_to_tsvector(ARRAY[' ' || thread_id]))) WHERE text <> ''
            """,
            """
            ALTER TABLE events
                ADD COLUMN by_id text COLLATE "C",
                ADD COLUMN message_id text COLLATE "C",
                ADD COLUMN message_seq bigint,
                ADD COLUMN text text COLLATE "C",
                ADD COLUMN is_on boolean
            """,
            "CREATE INDEX events_of_edits ON events (thread_id, message_id) WHERE kind = 'edited'",
            "CREATE INDEX events_of_named_users ON events (user_id) WHERE user_name <> ''",
            """
            CREATE TABLE reactions (
                thread_id text COLLATE "C" NOT NULL,
                message_seq bigint NOT NULL,
                emoji text COLLATE "C" NOT NULL,
                user_id text COLLATE "C" NOT NULL,
                PRIMARY KEY (thread_id, message_seq, emoji, user_id)
            )
            """,
        ])
}
