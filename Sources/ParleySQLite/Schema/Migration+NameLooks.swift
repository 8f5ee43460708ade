extension Migration {
    /// The looks of users' names (`NameLook`).
    ///
    /// - `users.look`, `users.second_look`: the keys. `NULL` for erased users, and for a name whose look is not computed
    ///   yet; `migrate` fills those in.
    static let nameLooks = Migration(
        number: 13, name: "name looks",
        sql: """
            ALTER TABLE users ADD COLUMN look TEXT;
            ALTER TABLE users ADD COLUMN second_look TEXT;
            CREATE INDEX users_by_look ON users (look) WHERE look IS NOT NULL;
            CREATE INDEX users_by_second_look ON users (second_look) WHERE second_look IS NOT NULL;
            CREATE INDEX users_without_look ON users (id) WHERE look IS NULL AND erased_ms IS NULL;
            """)
}
