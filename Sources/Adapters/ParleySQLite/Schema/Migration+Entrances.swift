extension Migration {
    /// Ways into threads that are not public: invitations (`Invitation`) and requests (`JoinRequest`).
    ///
    /// - A row whose `until_ms` has passed has no effect; so has a request 30 days after its `since_ms`.
    /// - `join_requests.thread_id` refers to no table: users may ask for threads that do not exist. The deletion of a thread
    ///   refuses its requests, so that their users cannot tell it from a thread that never existed.
    /// - Triggers end what a membership, a ban or an erasure makes void, for every writer.
    static let entrances = """
        CREATE TABLE invitations (
            thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
            user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            author_id TEXT NOT NULL REFERENCES users (id),
            text TEXT,
            since_ms INTEGER NOT NULL,
            until_ms INTEGER,
            PRIMARY KEY (thread_id, user_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX invitations_by_user ON invitations (user_id, thread_id);
        CREATE INDEX invitations_by_author ON invitations (author_id);
        CREATE INDEX invitations_by_end ON invitations (until_ms) WHERE until_ms IS NOT NULL;

        CREATE TABLE join_requests (
            thread_id TEXT NOT NULL,
            user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            text TEXT,
            since_ms INTEGER NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('open', 'refused', 'withdrawn')),
            PRIMARY KEY (thread_id, user_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX join_requests_by_user ON join_requests (user_id, thread_id);
        CREATE INDEX join_requests_by_date ON join_requests (since_ms);

        CREATE TRIGGER members_insert_ends_entrances AFTER INSERT ON members BEGIN
            DELETE FROM invitations WHERE thread_id = new.thread_id AND user_id = new.user_id;
            DELETE FROM join_requests WHERE thread_id = new.thread_id AND user_id = new.user_id;
        END;
        CREATE TRIGGER bans_insert_end_entrances AFTER INSERT ON sanctions WHEN new.kind = 'ban' BEGIN
            DELETE FROM invitations WHERE thread_id = new.thread_id AND user_id = new.user_id;
            UPDATE join_requests SET state = 'refused'
            WHERE thread_id = new.thread_id AND user_id = new.user_id AND state = 'open';
        END;
        CREATE TRIGGER bans_update_end_entrances AFTER UPDATE ON sanctions WHEN new.kind = 'ban' BEGIN
            DELETE FROM invitations WHERE thread_id = new.thread_id AND user_id = new.user_id;
            UPDATE join_requests SET state = 'refused'
            WHERE thread_id = new.thread_id AND user_id = new.user_id AND state = 'open';
        END;
        CREATE TRIGGER users_erase_entrances AFTER UPDATE OF erased_ms ON users
        WHEN old.erased_ms IS NULL AND new.erased_ms IS NOT NULL BEGIN
            DELETE FROM invitations WHERE user_id = new.id;
            DELETE FROM invitations WHERE author_id = new.id;
            DELETE FROM join_requests WHERE user_id = new.id;
        END;
        CREATE TRIGGER threads_delete_entrances AFTER DELETE ON threads BEGIN
            UPDATE join_requests SET state = 'refused' WHERE thread_id = old.id AND state = 'open';
        END;

        """
}
