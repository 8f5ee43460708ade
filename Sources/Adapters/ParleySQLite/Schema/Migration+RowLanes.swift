import ParleyModel

extension Migration {
    /// The last stamp of each `RowLane`, and the greatest one of a row that has expired.
    static let rowLanes = """
        CREATE TABLE row_lanes (
            lane INTEGER NOT NULL PRIMARY KEY,
            stamp INTEGER NOT NULL,
            expired INTEGER NOT NULL
        ) STRICT;
        INSERT INTO row_lanes (lane, stamp, expired)
        VALUES \(RowLane.allCases.map { "(\($0.number), 0, 0)" }.joined(separator: ", "));

        """

    /// Makes the rows of a table a lane of the stream of stored events. The table has the columns `id`, `at_ms` and `stamp`.
    ///
    /// A trigger sets `stamp` to the time in microseconds, raised if it is not above the last stamp.
    static func stamps(of table: String, _ lane: RowLane) -> String {
        """
        CREATE UNIQUE INDEX \(table)_by_stamp ON \(table) (stamp);
        CREATE TRIGGER \(table)_insert_stamps AFTER INSERT ON \(table) BEGIN
            UPDATE row_lanes SET stamp = max(new.at_ms * 1000, stamp + 1) WHERE lane = \(lane.number);
            UPDATE \(table) SET stamp = (SELECT stamp FROM row_lanes WHERE lane = \(lane.number)) WHERE id = new.id;
        END;
        CREATE TRIGGER \(table)_delete_notes AFTER DELETE ON \(table) BEGIN
            UPDATE row_lanes SET expired = max(expired, old.stamp) WHERE lane = \(lane.number);
        END;
        """
    }

    /// The messages that their recipients have not seen, one row for each `UnseenMessage`. Nothing refers to the message: readers
    /// skip the row of one that is gone.
    static let unseen = """
        CREATE TABLE unseen (
            id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
            at_ms INTEGER NOT NULL,
            user_id TEXT NOT NULL,
            thread_id TEXT NOT NULL,
            epoch TEXT NOT NULL,
            seq INTEGER NOT NULL,
            unread INTEGER NOT NULL,
            unread_total INTEGER NOT NULL,
            is_mention INTEGER NOT NULL,
            is_quiet INTEGER NOT NULL,
            stamp INTEGER,
            UNIQUE (user_id, thread_id, epoch, seq)
        ) STRICT;
        CREATE INDEX unseen_by_time ON unseen (at_ms);
        \(stamps(of: "unseen", .unseen))

        """
}
