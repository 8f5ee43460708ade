extension Migration {
    /// Ways into threads that are not public: invitations (`Invitation`) and requests (`JoinRequest`).
    ///
    /// - A row whose `until_ms` has passed has no effect; so has a request 30 days after its `since_ms`.
    /// - `join_requests.thread_id` refers to no table: users may ask for threads that do not exist. The deletion of a thread
    ///   refuses its requests, so that their users cannot tell it from a thread that never existed.
    /// - Triggers end what a membership, a ban or an erasure makes void, for every writer, and raise the versions of the user
    ///   (`i:`) and the thread (`e:`).
    static let entrances = [
        """
        CREATE TABLE invitations (
            thread_id text COLLATE "C" NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
            user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            author_id text COLLATE "C" NOT NULL REFERENCES users (id),
            text text COLLATE "C",
            since_ms bigint NOT NULL,
            until_ms bigint,
            PRIMARY KEY (thread_id, user_id)
        )
        """,
        "CREATE INDEX invitations_by_user ON invitations (user_id, thread_id)",
        "CREATE INDEX invitations_by_author ON invitations (author_id)",
        "CREATE INDEX invitations_by_end ON invitations (until_ms) WHERE until_ms IS NOT NULL",
        """
        CREATE TABLE join_requests (
            thread_id text COLLATE "C" NOT NULL,
            user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            text text COLLATE "C",
            since_ms bigint NOT NULL,
            state text COLLATE "C" NOT NULL CHECK (state IN ('open', 'refused', 'withdrawn')),
            PRIMARY KEY (thread_id, user_id)
        )
        """,
        "CREATE INDEX join_requests_by_user ON join_requests (user_id, thread_id)",
        "CREATE INDEX join_requests_by_date ON join_requests (since_ms)",
        """
        CREATE FUNCTION end_entrances() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_TABLE_NAME = 'users' THEN
                DELETE FROM invitations WHERE user_id = NEW.id OR author_id = NEW.id;
                DELETE FROM join_requests WHERE user_id = NEW.id;
            ELSIF TG_TABLE_NAME = 'threads' THEN
                UPDATE join_requests SET state = 'refused' WHERE thread_id = OLD.id AND state = 'open';
            ELSE
                DELETE FROM invitations WHERE thread_id = NEW.thread_id AND user_id = NEW.user_id;
                IF TG_TABLE_NAME = 'members' THEN
                    DELETE FROM join_requests WHERE thread_id = NEW.thread_id AND user_id = NEW.user_id;
                ELSE
                    UPDATE join_requests SET state = 'refused'
                    WHERE thread_id = NEW.thread_id AND user_id = NEW.user_id AND state = 'open';
                END IF;
            END IF;
            RETURN NULL;
        END $$
        """,
        """
        CREATE TRIGGER members_insert_ends_entrances AFTER INSERT ON members
        FOR EACH ROW EXECUTE FUNCTION end_entrances()
        """,
        """
        CREATE TRIGGER bans_end_entrances AFTER INSERT OR UPDATE ON sanctions
        FOR EACH ROW WHEN (NEW.kind = 'ban') EXECUTE FUNCTION end_entrances()
        """,
        """
        CREATE TRIGGER users_erase_entrances AFTER UPDATE OF erased_ms ON users
        FOR EACH ROW WHEN (OLD.erased_ms IS NULL AND NEW.erased_ms IS NOT NULL) EXECUTE FUNCTION end_entrances()
        """,
        """
        CREATE TRIGGER threads_delete_entrances AFTER DELETE ON threads
        FOR EACH ROW EXECUTE FUNCTION end_entrances()
        """,
        """
        CREATE FUNCTION raise_entrances() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        BEGIN
            INSERT INTO raised_versions (changed, subject, is_first)
            VALUES (pg_current_xact_id(), 'e:' || coalesce(NEW.thread_id, OLD.thread_id), true)
            ON CONFLICT DO NOTHING;
            IF TG_TABLE_NAME = 'invitations' THEN
                INSERT INTO raised_versions (changed, subject, is_first)
                VALUES (pg_current_xact_id(), 'i:' || coalesce(NEW.user_id, OLD.user_id), true)
                ON CONFLICT DO NOTHING;
            END IF;
            RETURN NULL;
        END $$
        """,
        """
        CREATE TRIGGER invitations_raise AFTER INSERT OR UPDATE OR DELETE ON invitations
        FOR EACH ROW EXECUTE FUNCTION raise_entrances()
        """,
        """
        CREATE TRIGGER join_requests_raise AFTER INSERT OR UPDATE OR DELETE ON join_requests
        FOR EACH ROW EXECUTE FUNCTION raise_entrances()
        """,
    ]
}
