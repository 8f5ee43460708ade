extension Migration {
    /// Attachments, and the messages that refer to them (`AttachmentStore`).
    ///
    /// - `attachments.due_ms`: the time at which the attachment may be removed if nothing uses it by then; `NULL` while
    ///   it is in use. A claim for removal postpones it and sets `is_removing`.
    /// - `attachments.upload`: the state of an unfinished upload in the blob store.
    /// - `attachment_uses.check_ms`: the time of the next check whether `messages` contains the use; `NULL` once its
    ///   message is stored. The transaction that stores a message confirms its uses. From then on, members of the
    ///   thread may read the attachment without a lookup in the log.
    /// - `attachment_uses.message_id`: empty for the picture of a room.
    /// - Triggers end the uses by messages that lose their parts or are stored without them, for any reason. The end of
    ///   a use makes the attachment due, and the process that claims it looks for other uses.
    /// - Quotas limit the number of rows that the erasure of a user changes.
    static let attachments = [
        """
        CREATE TABLE attachments (
            id text COLLATE "C" PRIMARY KEY,
            owner_id text COLLATE "C" NOT NULL REFERENCES users (id),
            name text COLLATE "C" NOT NULL,
            type text COLLATE "C" NOT NULL,
            size bigint NOT NULL,
            received bigint NOT NULL DEFAULT 0,
            upload text COLLATE "C",
            sha256 text COLLATE "C",
            width bigint,
            height bigint,
            created_ms bigint NOT NULL,
            is_complete boolean NOT NULL DEFAULT false,
            due_ms bigint,
            is_removing boolean NOT NULL DEFAULT false
        )
        """,
        "CREATE INDEX attachments_by_owner ON attachments (owner_id)",
        "CREATE INDEX attachments_by_due ON attachments (due_ms) WHERE due_ms IS NOT NULL",
        """
        CREATE TABLE attachment_uses (
            attachment_id text COLLATE "C" NOT NULL REFERENCES attachments (id) ON DELETE CASCADE,
            thread_id text COLLATE "C" NOT NULL,
            message_id text COLLATE "C" NOT NULL,
            recipient_id text COLLATE "C",
            created_ms bigint NOT NULL,
            check_ms bigint,
            PRIMARY KEY (attachment_id, thread_id, message_id)
        )
        """,
        "CREATE INDEX attachment_uses_by_message ON attachment_uses (thread_id, message_id)",
        "CREATE INDEX attachment_uses_by_check ON attachment_uses (check_ms) WHERE check_ms IS NOT NULL",
        """
        CREATE FUNCTION end_attachment_uses() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'DELETE' THEN
                DELETE FROM attachment_uses WHERE thread_id = OLD.thread_id AND message_id = OLD.id;
            ELSE
                DELETE FROM attachment_uses WHERE thread_id = NEW.thread_id AND message_id = NEW.id;
            END IF;
            RETURN NULL;
        END $$
        """,
        """
        CREATE TRIGGER messages_insert_ends_uses AFTER INSERT ON messages
        FOR EACH ROW WHEN (NEW.deleted_ms IS NOT NULL OR NEW.is_erased) EXECUTE FUNCTION end_attachment_uses()
        """,
        """
        CREATE TRIGGER messages_update_ends_uses AFTER UPDATE OF parts ON messages
        FOR EACH ROW WHEN (OLD.parts IS NOT NULL AND NEW.parts IS NULL) EXECUTE FUNCTION end_attachment_uses()
        """,
        """
        CREATE TRIGGER messages_delete_ends_uses AFTER DELETE ON messages
        FOR EACH ROW WHEN (OLD.parts IS NOT NULL) EXECUTE FUNCTION end_attachment_uses()
        """,
        """
        CREATE FUNCTION end_picture_use() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            DELETE FROM attachment_uses WHERE thread_id = OLD.id AND message_id = '';
            RETURN NULL;
        END $$
        """,
        """
        CREATE TRIGGER threads_delete_ends_picture AFTER DELETE ON threads
        FOR EACH ROW EXECUTE FUNCTION end_picture_use()
        """,
        """
        CREATE FUNCTION make_attachments_due() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_TABLE_NAME = 'users' THEN
                UPDATE attachments SET due_ms = 0, name = '' WHERE owner_id = NEW.id;
            ELSE
                UPDATE attachments SET due_ms = 0 WHERE id = OLD.attachment_id AND NOT is_removing;
            END IF;
            RETURN NULL;
        END $$
        """,
        """
        CREATE TRIGGER attachment_uses_end AFTER DELETE ON attachment_uses
        FOR EACH ROW EXECUTE FUNCTION make_attachments_due()
        """,
        """
        CREATE TRIGGER users_erase_attachments AFTER UPDATE OF erased_ms ON users
        FOR EACH ROW WHEN (OLD.erased_ms IS NULL AND NEW.erased_ms IS NOT NULL)
        EXECUTE FUNCTION make_attachments_due()
        """,
        """
        CREATE FUNCTION confirm_attachment_uses() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE attachment_uses SET check_ms = NULL
            WHERE thread_id = NEW.thread_id AND message_id = NEW.id AND check_ms IS NOT NULL;
            RETURN NULL;
        END $$
        """,
        """
        CREATE TRIGGER messages_insert_confirms_uses AFTER INSERT ON messages
        FOR EACH ROW WHEN (NEW.parts IS NOT NULL AND NEW.deleted_ms IS NULL AND NOT NEW.is_erased)
        EXECUTE FUNCTION confirm_attachment_uses()
        """,
    ]
}
