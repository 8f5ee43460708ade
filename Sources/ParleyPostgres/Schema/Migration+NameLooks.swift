extension Migration {
    /// The looks of users' names (`NameLook`).
    ///
    /// - `users.look`, `users.second_look`: the keys. `NULL` for erased users, and for a name whose look is not computed
    ///   yet, as of users created by nodes of an older version; `migrate` fills those in.
    static let nameLooks = Migration(
        number: 14, name: "name looks", oldestNode: 4,
        statements: [
            """
            ALTER TABLE users
                ADD COLUMN look text COLLATE "C",
                ADD COLUMN second_look text COLLATE "C"
            """,
            "CREATE INDEX users_by_look ON users (look)",
            "CREATE INDEX users_by_second_look ON users (second_look) WHERE second_look IS NOT NULL",
            "CREATE INDEX users_without_look ON users (id) WHERE look IS NULL AND erased_ms IS NULL",
            // Nodes of an older version erase users without it.
            """
            CREATE FUNCTION forget_look() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                NEW.look = NULL;
                NEW.second_look = NULL;
                RETURN NEW;
            END $$
            """,
            """
            CREATE TRIGGER users_erase_look BEFORE UPDATE OF erased_ms ON users
            FOR EACH ROW WHEN (NEW.erased_ms IS NOT NULL) EXECUTE FUNCTION forget_look()
            """,
        ])
}
