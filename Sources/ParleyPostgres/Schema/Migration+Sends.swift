extension Migration {
    /// The meaning of a `client_id` that was used twice or whose message is gone.
    ///
    /// - `messages.client_id` is that of the first use, and unique. A later use by another message, which was accepted
    ///   while the database could not be queried, is in `later_client_id` and indexed by `later_sends`.
    /// - `messages.content_digest`: a digest of the content of a message with a `client_id` whose text is gone,
    ///   whatever removed it; see `ContentKey`. The key is in the session's settings (`PostgresConnection`); a session
    ///   without one, as that of an older version, stores none.
    /// - `repeats`: seqs that the log has used for content already stored at `first_seq` (`NULL` for an outbox event).
    ///   With `messages` and `events` they account for every seq that was stored.
    /// - `members.read_ms`, `read_back_ms`: when the latest mark was made, and the latest one that moved the cursor
    ///   back, in Unix milliseconds; `NULL` if unknown.
    /// - `ingest_rejects`: the user and the message of a rejected entry, so that its text is removed with that of the
    ///   user, the message or the thread.
    ///
    /// Nothing is rewritten and no index of a big table is created, so the step takes no longer than acquiring its
    /// locks.
    static let sends = Migration(
        number: 6, name: "sends", oldestNode: 4,
        statements: [
            // In the locking order of the writer of batches.
            "LOCK TABLE threads, users, members, messages, ingest_rejects IN ACCESS EXCLUSIVE MODE",
            """
            ALTER TABLE messages
                ADD COLUMN later_client_id text COLLATE "C",
                ADD COLUMN content_digest bytea
            """,
            "ALTER TABLE members ADD COLUMN read_ms bigint, ADD COLUMN read_back_ms bigint",
            """
            ALTER TABLE ingest_rejects
                ADD COLUMN thread_id text COLLATE "C",
                ADD COLUMN user_id text COLLATE "C",
                ADD COLUMN message_id text COLLATE "C"
            """,
            "CREATE INDEX ingest_rejects_by_message ON ingest_rejects (thread_id, message_id)",
            "CREATE INDEX ingest_rejects_by_user ON ingest_rejects (user_id)",
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
            """
            CREATE FUNCTION redact_rejects_of_user() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
            BEGIN
                UPDATE ingest_rejects SET bytes = '' WHERE user_id = NEW.id;
                RETURN NULL;
            END $$
            """,
            """
            CREATE TRIGGER users_redact_rejects AFTER UPDATE OF erased_ms ON users FOR EACH ROW
            WHEN (NEW.erased_ms IS NOT NULL) EXECUTE FUNCTION redact_rejects_of_user()
            """,
            """
            CREATE FUNCTION redact_rejects_of_thread() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
            BEGIN
                UPDATE ingest_rejects SET bytes = '' WHERE thread_id = OLD.id;
                RETURN NULL;
            END $$
            """,
            """
            CREATE TRIGGER threads_redact_rejects AFTER DELETE ON threads
            FOR EACH ROW EXECUTE FUNCTION redact_rejects_of_thread()
            """,
        ])
}
