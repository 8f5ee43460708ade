extension Migration {
    /// The transaction that stores a message confirms its uses of attachments (`AttachmentStore`): from then on members
    /// of the thread may read them without a look at the log.
    static let confirmedUses = Migration(
        number: 10, name: "confirmed uses",
        sql: """
            CREATE TRIGGER messages_insert_confirms_uses AFTER INSERT ON messages
            WHEN new.parts IS NOT NULL AND new.deleted_ms IS NULL AND NOT new.is_erased BEGIN
                UPDATE attachment_uses SET check_ms = NULL
                WHERE thread_id = new.thread_id AND message_id = new.id AND check_ms IS NOT NULL;
            END;
            """)
}
