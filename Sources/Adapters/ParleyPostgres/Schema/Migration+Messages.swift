extension Migration {
    /// The log as it is stored: messages, other events, current reactions, and what `client_id`s and seqs stand for.
    ///
    /// - The `seq`s of a thread are shared by `messages` and `events`. `n` of a row is the number of the thread's
    ///   messages up to and including that row.
    /// - Both have no foreign key to `threads`: their writer locks the row of their thread, and a check for each row
    ///   would cost as much as the row. Authors need not be users: guests of the line listener have no account.
    /// - `messages.text` is the current text, and `first_text` the original one of an edited message. Both are cleared
    ///   when the message is deleted (`deleted_ms`) or its author erased (`is_erased`). `edited_seq` is the seq of the
    ///   edit that `text` comes from; an older edit that arrives late has no effect.
    /// - `messages.client_id` is that of the first use, and unique. A later use by another message, which was accepted
    ///   while the database could not be queried, is in `later_client_id` and indexed by `later_sends`.
    /// - `messages.content_digest`: a digest of the content of a message with a `client_id` whose text is gone, whatever
    ///   removed it; see `ContentKey`. The key is in the session's settings (`PostgresConnection`); a session without
    ///   one stores none.
    /// - `events.log_seq` is the seq that the log assigned, `seq` the one in this store. The columns from `user_id` on
    ///   are those of `EventFields`.
    /// - `repeats`: seqs that the log has used for content already stored at `first_seq` (`NULL` for an outbox event).
    ///   With `messages` and `events` they account for every seq that was stored.
    static let messages = tables + messageIndexes + digests

    private static let tables = [
        """
        CREATE TABLE messages (
            thread_id text COLLATE "C" NOT NULL,
            seq bigint NOT NULL CHECK (seq > 0),
            id text COLLATE "C" NOT NULL,
            epoch text COLLATE "C" NOT NULL,
            date_ms bigint NOT NULL,
            n bigint NOT NULL,
            sender_id text COLLATE "C" NOT NULL,
            sender_name text COLLATE "C" NOT NULL,
            client_id text COLLATE "C",
            text text COLLATE "C" NOT NULL,
            parts text COLLATE "C",
            reply_to bigint,
            first_text text COLLATE "C",
            edited_ms bigint,
            edited_seq bigint,
            deleted_ms bigint,
            is_erased boolean NOT NULL DEFAULT false,
            later_client_id text COLLATE "C",
            content_digest bytea,
            PRIMARY KEY (thread_id, seq)
        )
        """,
        """
        CREATE TABLE events (
            thread_id text COLLATE "C" NOT NULL,
            seq bigint NOT NULL CHECK (seq > 0),
            log_seq bigint NOT NULL,
            epoch text COLLATE "C" NOT NULL,
            date_ms bigint NOT NULL,
            n bigint NOT NULL,
            kind text COLLATE "C" NOT NULL,
            user_id text COLLATE "C" NOT NULL,
            user_name text COLLATE "C" NOT NULL,
            by_id text COLLATE "C",
            message_id text COLLATE "C",
            message_seq bigint,
            text text COLLATE "C",
            is_on boolean,
            PRIMARY KEY (thread_id, seq)
        )
        """,
        "CREATE INDEX events_of_edits ON events (thread_id, message_id) WHERE kind = 'edited'",
        "CREATE INDEX events_of_named_users ON events (user_id) WHERE user_name <> ''",
        // Erasure finds the events about a user's reactions, which contain what the reactions were.
        "CREATE INDEX events_of_reacting_users ON events (user_id) WHERE kind = 'reaction' AND text <> ''",
        """
        CREATE TABLE reactions (
            thread_id text COLLATE "C" NOT NULL,
            message_seq bigint NOT NULL,
            emoji text COLLATE "C" NOT NULL,
            user_id text COLLATE "C" NOT NULL,
            PRIMARY KEY (thread_id, message_seq, emoji, user_id)
        )
        """,
        """
        CREATE TABLE later_sends (
            sender_id text COLLATE "C" NOT NULL,
            client_id text COLLATE "C" NOT NULL,
            thread_id text COLLATE "C" NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
            seq bigint NOT NULL,
            PRIMARY KEY (sender_id, client_id, thread_id, seq)
        )
        """,
        "CREATE INDEX later_sends_by_thread ON later_sends (thread_id, seq)",
        """
        CREATE TABLE repeats (
            thread_id text COLLATE "C" NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
            seq bigint NOT NULL CHECK (seq > 0),
            epoch text COLLATE "C" NOT NULL,
            message_id text COLLATE "C",
            first_seq bigint,
            PRIMARY KEY (thread_id, seq)
        )
        """,
    ]

    /// Indexes by hashes instead of texts, which need a quarter of the space.
    ///
    /// - `messages_by_hashed_id` finds a message by thread and id, and `messages_by_hashed_send` the first use of a
    ///   `client_id`. Two 64-bit hashes are an entry of 24 bytes, whatever the length of the texts; queries compare the
    ///   texts too. Message ids are made by Parley, so no two of a thread collide. A sender can choose colliding
    ///   `client_id`s: the second one then counts as a later use, as the writer decides in `StoredBefore`.
    /// - The messages of a user are found by `messages_by_hashed_send` and, without a `client_id`, by
    ///   `messages_by_hashed_sender`: each message is in one of the two indexes.
    /// - `messages_deleted` counts the messages deleted after a read cursor without reading the table: unread is
    ///   `head_n - read_n` minus that. Nothing is written per member, and a cursor at the end has nothing to count.
    /// - `messages_text` contains the thread as one more word, which begins with a space, as no word of a text does. A
    ///   search thus reads only the searcher's threads, however much is sent in others.
    /// - Dates need no index: they never decrease as seq rises, so the seq of a date is found by bisection
    ///   (`DateQueries`).
    private static let messageIndexes = [
        """
        CREATE UNIQUE INDEX messages_by_hashed_id ON messages (\(Hashes.of("thread_id")), \(Hashes.of("id")))
        """,
        """
        CREATE UNIQUE INDEX messages_by_hashed_send ON messages (\(Hashes.of("sender_id")), \(Hashes.of("client_id")))
        WHERE client_id IS NOT NULL
        """,
        """
        CREATE INDEX messages_by_hashed_sender
        ON messages (\(Hashes.of("sender_id")), \(Hashes.of("thread_id")), seq) WHERE client_id IS NULL
        """,
        "CREATE INDEX messages_deleted ON messages (thread_id, seq) WHERE deleted_ms IS NOT NULL",
        """
        CREATE INDEX messages_text ON messages USING gin (
            (to_tsvector('simple', text) || array_to_tsvector(ARRAY[' ' || thread_id]))) WHERE text <> ''
        """,
    ]

    private static let digests = [
        """
        CREATE FUNCTION keep_content_digest() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        DECLARE
            inner_block bytea := decode(coalesce(current_setting('parley.digest_inner', true), ''), 'hex');
            outer_block bytea := decode(coalesce(current_setting('parley.digest_outer', true), ''), 'hex');
        BEGIN
            IF length(inner_block) = 64 AND length(outer_block) = 64 THEN
                NEW.content_digest := sha256(outer_block || sha256(
                    inner_block || convert_to(OLD.thread_id, 'UTF8') || '\\x00'::bytea
                    || convert_to(coalesce(OLD.first_text, OLD.text), 'UTF8') || '\\x00'::bytea
                    || convert_to(coalesce(OLD.parts, ''), 'UTF8') || '\\x00'::bytea
                    || convert_to(coalesce(OLD.reply_to::text, ''), 'UTF8')));
            END IF;
            RETURN NEW;
        END $$
        """,
        """
        CREATE TRIGGER messages_keep_digest BEFORE UPDATE OF deleted_ms, is_erased ON messages FOR EACH ROW
        WHEN (
            coalesce(OLD.client_id, OLD.later_client_id) IS NOT NULL
            AND OLD.deleted_ms IS NULL AND NOT OLD.is_erased AND (NEW.deleted_ms IS NOT NULL OR NEW.is_erased))
        EXECUTE FUNCTION keep_content_digest()
        """,
    ]
}
