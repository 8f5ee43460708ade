import ParleyModel

/// Tables whose rows are lanes of the stream of stored events.
extension Migration {
    /// The last stamp of each `RowLane`, the greatest one of a row that has expired, and the functions of triggers.
    static let rowLanes =
        [
            """
            CREATE TABLE row_lanes (
                lane bigint PRIMARY KEY,
                stamp bigint NOT NULL,
                expired bigint NOT NULL
            )
            """,
            """
            INSERT INTO row_lanes (lane, stamp, expired)
            VALUES \(RowLane.allCases.map { "(\($0.number), 0, 0)" }.joined(separator: ", "))
            """,
            """
            CREATE FUNCTION await_row_stamp() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
            BEGIN
                EXECUTE format('UPDATE %I SET stamp = 0 WHERE id = $1', TG_TABLE_NAME) USING NEW.id;
                RETURN NULL;
            END $$
            """,
            """
            CREATE FUNCTION stamp_rows() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
            DECLARE
                lane_number CONSTANT bigint := TG_ARGV[0]::bigint;
                is_waiting boolean;
                last bigint;
            BEGIN
                -- Other transactions never leave a row with 0, so these are all rows of this one.
                EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE id = $1 AND stamp = 0)', TG_TABLE_NAME)
                    INTO is_waiting USING NEW.id;
                IF NOT is_waiting THEN
                    RETURN NULL;
                END IF;
                SELECT greatest((extract(epoch FROM clock_timestamp()) * 1000000)::bigint, stamp) INTO last
                    FROM row_lanes WHERE lane = lane_number FOR UPDATE;
                EXECUTE format(
                    'WITH waiting AS (SELECT id, row_number() OVER (ORDER BY id) AS place FROM %1$I WHERE stamp = 0),
                    placed AS (
                        UPDATE %1$I AS rows SET stamp = $1 + waiting.place FROM waiting WHERE rows.id = waiting.id
                        RETURNING rows.stamp)
                    SELECT max(stamp) FROM placed', TG_TABLE_NAME) INTO last USING last;
                UPDATE row_lanes SET stamp = last WHERE lane = lane_number;
                RETURN NULL;
            END $$
            """,
            """
            CREATE FUNCTION note_expired_rows() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
            BEGIN
                UPDATE row_lanes SET expired = greatest(expired, (SELECT max(stamp) FROM gone_rows))
                    WHERE lane = TG_ARGV[0]::bigint AND EXISTS (SELECT FROM gone_rows);
                RETURN NULL;
            END $$
            """,
        ]

    /// Makes the rows of a table a lane of the stream of stored events. The table has the columns `id` and `stamp`.
    ///
    /// `stamp` is the server's time in microseconds, raised if it is not above the last stamp of the lane. It is `NULL` until the
    /// commit, and 0 while the commit waits for the lane.
    ///
    /// The lock of the lane is held from the assignment of stamps until the commit, so stamps become visible in ascending order.
    /// The first trigger only leads to the second one, which runs after all other triggers of the commit: the lock is the last
    /// one that a transaction takes, so it can be part of no deadlock, and is held for the commit alone. A
    /// transaction that deletes rows takes the lock earlier: an erasure takes that of `unseen` before that of `audit`, and none
    /// takes them in the other order.
    static func stamps(of table: String, _ lane: RowLane) -> [String] {
        [
            "CREATE INDEX \(table)_by_stamp ON \(table) (stamp)",
            """
            CREATE CONSTRAINT TRIGGER \(table)_awaits_stamp AFTER INSERT ON \(table)
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION await_row_stamp()
            """,
            """
            CREATE CONSTRAINT TRIGGER \(table)_is_stamped AFTER UPDATE OF stamp ON \(table)
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.stamp = 0)
            EXECUTE FUNCTION stamp_rows(\(lane.number))
            """,
            """
            CREATE TRIGGER \(table)_delete_notes AFTER DELETE ON \(table) REFERENCING OLD TABLE AS gone_rows
            FOR EACH STATEMENT EXECUTE FUNCTION note_expired_rows(\(lane.number))
            """,
        ]
    }

    /// The messages that their recipients have not seen, one row for each `UnseenMessage`. Nothing refers to the message: readers
    /// skip the row of one that is gone.
    static let unseen =
        [
            """
            CREATE TABLE unseen (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                at_ms bigint NOT NULL,
                user_id text COLLATE "C" NOT NULL,
                thread_id text COLLATE "C" NOT NULL,
                epoch text COLLATE "C" NOT NULL,
                seq bigint NOT NULL,
                unread bigint NOT NULL,
                unread_total bigint NOT NULL,
                is_mention boolean NOT NULL,
                is_quiet boolean NOT NULL,
                stamp bigint
            )
            """,
            "CREATE UNIQUE INDEX unseen_by_message ON unseen (user_id, thread_id, epoch, seq)",
            "CREATE INDEX unseen_by_time ON unseen (at_ms)",
        ] + stamps(of: "unseen", .unseen)
}
