extension Migration {
    /// Threads, their members, the restrictions that outlast a membership (`Restrictions`), and sanctions (`Sanction`).
    ///
    /// - `threads.head_seq` is the highest seq that the log is known to have used, `head_n` the number of messages, and
    ///   `head_ms` the date of the newest event. `epoch` is `NULL` until the first event.
    /// - `members.read_n` is the number of messages up to `read_seq`. It is `NULL` if `read_seq` was ahead of
    ///   `head_seq` when it was set, since the number was unknown then.
    /// - `members.read_ms` and `read_back_ms`: the time of the latest mark, and of the latest mark that moved the
    ///   cursor back; `NULL` if there is none.
    /// - `members.visible_from`: where the log begins for the member (`HistoryStart`); 0 if they see all of it. A value of at
    ///   least 2^62 stands for the outbox entry of their `joined` event, which the store does not have yet. Nothing that is
    ///   stored has such a seq, so that `seq >= visible_from` decides in every case.
    /// - A user only has rows in `restrictions` for threads that the user is not a member of. Triggers ensure this for
    ///   every writer of `members`. The end of a membership with the role `read_only` adds a row; a new membership or
    ///   an erasure deletes all rows. `since_ms` is the node's time, or the database's time for a row that a trigger
    ///   adds.
    /// - `sanctions` is independent of `members`. A row whose `until_ms` has passed has no effect. An erasure deletes the
    ///   rows of the user.
    /// - `threads.options` is JSON (`RoomOptions`), and `NULL` for the standard ones; a direct thread has none.
    /// - `blocks`: user `user_id` blocks `blocked_id`. `thread_id` is the ID of the direct thread of the two, which need not exist.
    ///   An erasure deletes the rows of the user.
    /// - `links` lead into rooms (`RoomLink`). A room has at most `RoomLink.mostInForce` rows; one that has expired or is used
    ///   up stays until another link of the room is made. Erasures change no row.
    static let threads = [
        // Reserves space in each page, so that updates of heads and cursors need no new index entries.
        """
        CREATE TABLE threads (
            id text COLLATE "C" PRIMARY KEY,
            kind text COLLATE "C" NOT NULL CHECK (kind IN ('room', 'direct', 'group')),
            title text COLLATE "C",
            visibility text COLLATE "C" NOT NULL DEFAULT 'private'
                CHECK (visibility IN ('public', 'unlisted', 'private')),
            history text COLLATE "C" NOT NULL DEFAULT 'all' CHECK (history IN ('all', 'since_joining')),
            options text COLLATE "C",
            description text COLLATE "C",
            rules text COLLATE "C",
            first_user_id text COLLATE "C" REFERENCES users (id),
            second_user_id text COLLATE "C" REFERENCES users (id),
            epoch text COLLATE "C",
            head_seq bigint NOT NULL DEFAULT 0,
            head_n bigint NOT NULL DEFAULT 0,
            head_ms bigint NOT NULL DEFAULT 0,
            last_message_seq bigint,
            created_ms bigint NOT NULL,
            CHECK (kind = 'group' OR (kind = 'room') = (title IS NOT NULL)),
            CHECK (kind = 'room' OR visibility = 'private'),
            CHECK (kind <> 'direct' OR history = 'all'),
            CHECK ((kind = 'direct') = (first_user_id IS NOT NULL AND second_user_id IS NOT NULL))
        ) WITH (fillfactor = 80)
        """,
        "CREATE UNIQUE INDEX threads_by_public_title ON threads (title) WHERE visibility = 'public'",
        "CREATE INDEX threads_by_title ON threads (title, id) WHERE title IS NOT NULL",
        "CREATE INDEX threads_by_first_user ON threads (first_user_id) WHERE first_user_id IS NOT NULL",
        "CREATE INDEX threads_by_second_user ON threads (second_user_id) WHERE second_user_id IS NOT NULL",
        """
        CREATE TABLE members (
            thread_id text COLLATE "C" NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
            user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            role text COLLATE "C" NOT NULL CHECK (role IN ('owner', 'moderator', 'member', 'read_only')),
            read_seq bigint NOT NULL,
            read_n bigint,
            joined_ms bigint NOT NULL,
            read_ms bigint,
            read_back_ms bigint,
            visible_from bigint NOT NULL DEFAULT 0,
            PRIMARY KEY (thread_id, user_id)
        ) WITH (fillfactor = 80)
        """,
        "CREATE INDEX members_by_user ON members (user_id)",
        """
        CREATE TABLE restrictions (
            thread_id text COLLATE "C" NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
            user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            kind text COLLATE "C" NOT NULL CHECK (kind IN ('removed', 'read_only')),
            since_ms bigint NOT NULL,
            PRIMARY KEY (thread_id, user_id, kind)
        )
        """,
        "CREATE INDEX restrictions_by_user ON restrictions (user_id)",
        """
        CREATE TABLE sanctions (
            thread_id text COLLATE "C" NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
            user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            kind text COLLATE "C" NOT NULL CHECK (kind IN ('mute', 'ban')),
            until_ms bigint,
            reason text COLLATE "C",
            author_id text COLLATE "C" REFERENCES users (id),
            since_ms bigint NOT NULL,
            PRIMARY KEY (thread_id, user_id, kind)
        )
        """,
        "CREATE INDEX sanctions_by_user ON sanctions (user_id)",
        """
        CREATE TABLE links (
            id text COLLATE "C" PRIMARY KEY,
            thread_id text COLLATE "C" NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
            code_hash text COLLATE "C" NOT NULL UNIQUE,
            author_id text COLLATE "C" NOT NULL REFERENCES users (id),
            since_ms bigint NOT NULL,
            until_ms bigint,
            uses bigint,
            used bigint NOT NULL,
            ended_ms bigint,
            CHECK (used >= 0 AND (uses IS NULL OR used <= uses))
        )
        """,
        "CREATE INDEX links_by_thread ON links (thread_id, since_ms, id)",
        "CREATE INDEX links_by_end ON links (ended_ms) WHERE ended_ms IS NOT NULL",
        """
        CREATE TABLE blocks (
            user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            blocked_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            thread_id text COLLATE "C" NOT NULL,
            since_ms bigint NOT NULL,
            PRIMARY KEY (user_id, blocked_id),
            CHECK (user_id <> blocked_id)
        )
        """,
        "CREATE INDEX blocks_by_blocked ON blocks (blocked_id)",
        "CREATE INDEX blocks_by_thread ON blocks (thread_id)",
        """
        CREATE FUNCTION keep_restriction() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            -- Neither a deleted thread nor an erased user keeps any.
            INSERT INTO restrictions (thread_id, user_id, kind, since_ms)
            SELECT threads.id, users.id, 'read_only', (extract(epoch FROM clock_timestamp()) * 1000)::bigint
            FROM threads, users
            WHERE threads.id = OLD.thread_id AND users.id = OLD.user_id AND users.erased_ms IS NULL
            ON CONFLICT DO NOTHING;
            RETURN NULL;
        END $$
        """,
        """
        CREATE TRIGGER members_delete_keeps_restriction AFTER DELETE ON members
        FOR EACH ROW WHEN (OLD.role = 'read_only') EXECUTE FUNCTION keep_restriction()
        """,
        """
        CREATE FUNCTION end_restrictions() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_TABLE_NAME = 'users' THEN
                DELETE FROM restrictions WHERE user_id = NEW.id;
                DELETE FROM sanctions WHERE user_id = NEW.id;
                DELETE FROM blocks WHERE user_id = NEW.id OR blocked_id = NEW.id;
            ELSE
                DELETE FROM restrictions WHERE thread_id = NEW.thread_id AND user_id = NEW.user_id;
            END IF;
            RETURN NULL;
        END $$
        """,
        """
        CREATE TRIGGER members_insert_ends_restrictions AFTER INSERT ON members
        FOR EACH ROW EXECUTE FUNCTION end_restrictions()
        """,
        """
        CREATE TRIGGER users_erase_restrictions AFTER UPDATE OF erased_ms ON users
        FOR EACH ROW WHEN (OLD.erased_ms IS NULL AND NEW.erased_ms IS NOT NULL)
        EXECUTE FUNCTION end_restrictions()
        """,
    ]
}
