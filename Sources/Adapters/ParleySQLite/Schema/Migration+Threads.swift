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
    ///   an erasure deletes all rows.
    /// - `sanctions` is independent of `members`. A row whose `until_ms` has passed has no effect. An erasure deletes the
    ///   rows of the user.
    /// - `threads.options` is JSON (`RoomOptions`), and `NULL` for the standard ones; a direct thread has none.
    /// - `blocks`: user `user_id` blocks `blocked_id`. `thread_id` is the ID of the direct thread of the two, which need not exist.
    ///   An erasure deletes the rows of the user.
    static let threads = """
        CREATE TABLE threads (
            id TEXT NOT NULL PRIMARY KEY,
            kind TEXT NOT NULL CHECK (kind IN ('room', 'direct', 'group')),
            title TEXT,
            visibility TEXT NOT NULL DEFAULT 'private' CHECK (visibility IN ('public', 'unlisted', 'private')),
            history TEXT NOT NULL DEFAULT 'all' CHECK (history IN ('all', 'since_joining')),
            options TEXT,
            description TEXT,
            rules TEXT,
            first_user_id TEXT REFERENCES users (id),
            second_user_id TEXT REFERENCES users (id),
            epoch TEXT,
            head_seq INTEGER NOT NULL DEFAULT 0,
            head_n INTEGER NOT NULL DEFAULT 0,
            head_ms INTEGER NOT NULL DEFAULT 0,
            last_message_seq INTEGER,
            created_ms INTEGER NOT NULL,
            CHECK (kind = 'group' OR (kind = 'room') = (title IS NOT NULL)),
            CHECK (kind = 'room' OR visibility = 'private'),
            CHECK (kind <> 'direct' OR history = 'all'),
            CHECK ((kind = 'direct') = (first_user_id IS NOT NULL AND second_user_id IS NOT NULL))
        ) STRICT;
        CREATE UNIQUE INDEX threads_by_public_title ON threads (title) WHERE visibility = 'public';
        CREATE INDEX threads_by_title ON threads (title, id) WHERE title IS NOT NULL;
        CREATE INDEX threads_by_first_user ON threads (first_user_id) WHERE first_user_id IS NOT NULL;
        CREATE INDEX threads_by_second_user ON threads (second_user_id) WHERE second_user_id IS NOT NULL;

        CREATE TABLE members (
            thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
            user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            role TEXT NOT NULL CHECK (role IN ('owner', 'moderator', 'member', 'read_only')),
            read_seq INTEGER NOT NULL,
            read_n INTEGER,
            joined_ms INTEGER NOT NULL,
            read_ms INTEGER,
            read_back_ms INTEGER,
            visible_from INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (thread_id, user_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX members_by_user ON members (user_id);

        CREATE TABLE restrictions (
            thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
            user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('removed', 'read_only')),
            since_ms INTEGER NOT NULL,
            PRIMARY KEY (thread_id, user_id, kind)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX restrictions_by_user ON restrictions (user_id);

        CREATE TABLE sanctions (
            thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
            user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('mute', 'ban')),
            until_ms INTEGER,
            reason TEXT,
            author_id TEXT REFERENCES users (id),
            since_ms INTEGER NOT NULL,
            PRIMARY KEY (thread_id, user_id, kind)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX sanctions_by_user ON sanctions (user_id);

        CREATE TABLE links (
            id TEXT NOT NULL PRIMARY KEY,
            thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
            code_hash TEXT NOT NULL UNIQUE,
            author_id TEXT NOT NULL REFERENCES users (id),
            since_ms INTEGER NOT NULL,
            until_ms INTEGER,
            uses INTEGER,
            used INTEGER NOT NULL,
            ended_ms INTEGER,
            CHECK (used >= 0 AND (uses IS NULL OR used <= uses))
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX links_by_thread ON links (thread_id, since_ms, id);
        CREATE INDEX links_by_end ON links (ended_ms) WHERE ended_ms IS NOT NULL;

        CREATE TABLE blocks (
            user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            blocked_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            thread_id TEXT NOT NULL,
            since_ms INTEGER NOT NULL,
            PRIMARY KEY (user_id, blocked_id),
            CHECK (user_id <> blocked_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX blocks_by_blocked ON blocks (blocked_id);
        CREATE INDEX blocks_by_thread ON blocks (thread_id);

        CREATE TRIGGER members_delete_keeps_restriction AFTER DELETE ON members
        WHEN old.role = 'read_only' BEGIN
            INSERT INTO restrictions (thread_id, user_id, kind, since_ms)
            SELECT threads.id, users.id, 'read_only', CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
            FROM threads, users
            WHERE threads.id = old.thread_id AND users.id = old.user_id AND users.erased_ms IS NULL
            ON CONFLICT DO NOTHING;
        END;
        CREATE TRIGGER members_insert_ends_restrictions AFTER INSERT ON members BEGIN
            DELETE FROM restrictions WHERE thread_id = new.thread_id AND user_id = new.user_id;
        END;
        CREATE TRIGGER users_erase_restrictions AFTER UPDATE OF erased_ms ON users
        WHEN old.erased_ms IS NULL AND new.erased_ms IS NOT NULL BEGIN
            DELETE FROM restrictions WHERE user_id = new.id;
            DELETE FROM sanctions WHERE user_id = new.id;
            DELETE FROM blocks WHERE user_id = new.id OR blocked_id = new.id;
        END;

        """
}
