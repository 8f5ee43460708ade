extension Migration {
    /// The stored log: messages, other events, current reactions, and the uses of `client_id`s and seqs.
    ///
    /// - `messages` and `events` share the `seq`s of a thread. `n` is the number of messages in the thread up to and
    ///   including the row.
    /// - Neither table has a foreign key to `threads`: the writer locks the row of the thread, and a check for each row
    ///   would cost as much as the row. Authors need not be users, since guests of the line listener have no account.
    /// - `messages.text` is the current text, and `first_text` the original text of an edited message. Both are cleared
    ///   when the message is deleted (`deleted_ms`) or its author is erased (`is_erased`). `edited_seq` is the seq of
    ///   the edit that supplied `text`; an older edit that arrives late has no effect.
    /// - `messages.client_id` is the `client_id` of its first use, and unique. If another message with the same
    ///   `client_id` was accepted while the database could not be queried, its `client_id` is stored in
    ///   `later_client_id` and indexed by `later_sends`.
    /// - `messages.content_digest`: a digest of the content of a message with a `client_id` whose text was removed for
    ///   any reason; see `ContentKey`. The key is in the session's settings (`PostgresConnection`), and a session
    ///   without a key stores no digests.
    /// - `events.log_seq` is the seq that the log assigned, and `seq` is the seq in this store. The columns from
    ///   `user_id` on correspond to `EventFields`.
    /// - `repeats`: seqs that the log used for content that was already stored at `first_seq` (`NULL` for an outbox
    ///   event). Together with `messages` and `events`, they account for every seq that was stored.
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
        // An erasure finds the events about the user's reactions, which contain the emoji.
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

    /// Indexes by hashes of texts, which take a quarter of the space of indexes by the texts.
    ///
    /// - `messages_by_hashed_id` finds a message by thread and ID, and `messages_by_hashed_send` the first use of a
    ///   `client_id`. An entry of two 64-bit hashes has 24 bytes for texts of any length. Queries also compare the
    ///   texts. Parley creates the message IDs, so two IDs of a thread do not collide. A sender can choose `client_id`s
    ///   that collide; `StoredBefore` then treats the second one as a later use.
    /// - `messages_by_hashed_send` finds the messages of a user with a `client_id`, and `messages_by_hashed_sender` the
    ///   messages without one. Each message is in one of the two indexes.
    /// - `messages_deleted` counts the messages deleted after a read cursor without reading the table; the unread count
    ///   is `head_n - read_n` minus this number. A deletion writes nothing per member, and a cursor at the head has
    ///   nothing to count.
    /// - `messages_text` contains the thread as an additional word. It begins with a space, unlike any word of a text.
    ///   A search thus only reads the searcher's threads, regardless of the traffic in others.
    /// - Dates need no index: they never decrease as seq rises, so a bisection finds the seq for a date
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
