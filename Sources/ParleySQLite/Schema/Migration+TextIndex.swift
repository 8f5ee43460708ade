extension Migration {
    /// Texts enter the full-text index in batches, see `SQLiteStore.indexTexts`.
    ///
    /// - `messages_text_end`: one row. Exactly the messages up to its `rid` are in the index.
    /// - A `rid` above all others is assigned again after its message was deleted, so the end falls with the newest
    ///   message.
    static let textIndex = Migration(
        number: 8, name: "texts indexed in batches",
        sql: """
            CREATE TABLE messages_text_end (
                id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
                rid INTEGER NOT NULL
            ) STRICT;
            INSERT INTO messages_text_end (id, rid) VALUES (1, (SELECT coalesce(max(rid), 0) FROM messages));

            DROP TRIGGER messages_text_insert;
            DROP TRIGGER messages_text_update;
            DROP TRIGGER messages_text_delete;
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
            """)
}
