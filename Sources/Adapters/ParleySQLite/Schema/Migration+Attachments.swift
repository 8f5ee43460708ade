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
    static let attachments = """
        CREATE TABLE attachments (
            id TEXT NOT NULL PRIMARY KEY,
            owner_id TEXT NOT NULL REFERENCES users (id),
            name TEXT NOT NULL,
            type TEXT NOT NULL,
            size INTEGER NOT NULL,
            received INTEGER NOT NULL DEFAULT 0,
            upload TEXT,
            sha256 TEXT,
            width INTEGER,
            height INTEGER,
            created_ms INTEGER NOT NULL,
            is_complete INTEGER NOT NULL DEFAULT 0,
            due_ms INTEGER,
            is_removing INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX attachments_by_owner ON attachments (owner_id);
        CREATE INDEX attachments_by_due ON attachments (due_ms) WHERE due_ms IS NOT NULL;

        CREATE TABLE attachment_uses (
            attachment_id TEXT NOT NULL REFERENCES attachments (id) ON DELETE CASCADE,
            thread_id TEXT NOT NULL,
            message_id TEXT NOT NULL,
            recipient_id TEXT,
            created_ms INTEGER NOT NULL,
            check_ms INTEGER,
            PRIMARY KEY (attachment_id, thread_id, message_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX attachment_uses_by_message ON attachment_uses (thread_id, message_id);
        CREATE INDEX attachment_uses_by_check ON attachment_uses (check_ms) WHERE check_ms IS NOT NULL;

        CREATE TRIGGER messages_insert_ends_uses AFTER INSERT ON messages
        WHEN new.deleted_ms IS NOT NULL OR new.is_erased BEGIN
            DELETE FROM attachment_uses WHERE thread_id = new.thread_id AND message_id = new.id;
        END;
        CREATE TRIGGER messages_update_ends_uses AFTER UPDATE OF parts ON messages
        WHEN old.parts IS NOT NULL AND new.parts IS NULL BEGIN
            DELETE FROM attachment_uses WHERE thread_id = new.thread_id AND message_id = new.id;
        END;
        CREATE TRIGGER messages_delete_ends_uses AFTER DELETE ON messages WHEN old.parts IS NOT NULL BEGIN
            DELETE FROM attachment_uses WHERE thread_id = old.thread_id AND message_id = old.id;
        END;
        CREATE TRIGGER threads_delete_ends_picture AFTER DELETE ON threads BEGIN
            DELETE FROM attachment_uses WHERE thread_id = old.id AND message_id = '';
        END;
        CREATE TRIGGER attachment_uses_end AFTER DELETE ON attachment_uses BEGIN
            UPDATE attachments SET due_ms = 0 WHERE id = old.attachment_id AND is_removing = 0;
        END;
        CREATE TRIGGER users_erase_attachments AFTER UPDATE OF erased_ms ON users
        WHEN old.erased_ms IS NULL AND new.erased_ms IS NOT NULL BEGIN
            UPDATE attachments SET due_ms = 0, name = '' WHERE owner_id = new.id;
        END;
        CREATE TRIGGER messages_insert_confirms_uses AFTER INSERT ON messages
        WHEN new.parts IS NOT NULL AND new.deleted_ms IS NULL AND NOT new.is_erased BEGIN
            UPDATE attachment_uses SET check_ms = NULL
            WHERE thread_id = new.thread_id AND message_id = new.id AND check_ms IS NOT NULL;
        END;

        """
}
