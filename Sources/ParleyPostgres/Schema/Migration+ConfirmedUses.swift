extension Migration {
    /// The transaction that stores a message confirms its uses of attachments (`AttachmentStore`): from then on members
    /// of the thread may read them without a look at the log.
    ///
    /// A node of an older version that confirms them a minute later does the same.
    static let confirmedUses = Migration(
        number: 11, name: "confirmed uses", oldestNode: 4,
        statements: [
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
        ])
}
