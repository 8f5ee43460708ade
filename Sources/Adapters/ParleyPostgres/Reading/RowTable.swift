import ParleyModel
package import ParleyStorage

/// The table of a `RowLane`, and its statements for the stream of stored events.
package struct RowTable: Sendable {
    let lane: RowLane
    let table: String
    /// Returns the rows above the stamp `$1`, at most `$2`.
    package let unread: Query<EventBatch>
    /// Returns the last stamp, the greatest one of a row that has expired, and whether a row has the stamp `$1`.
    package let head: Query<(stamp: Int64, expired: Int64, isKnown: Bool)>

    /// The tables of all lanes.
    static let all = [AuditQueries.lane, UnseenQueries.lane]

    init(
        _ lane: RowLane, table: String, columns: String, _ decode: @escaping @Sendable (Row) throws -> EventBatch
    ) {
        self.lane = lane
        self.table = table
        unread = Query("SELECT \(columns) FROM \(table) WHERE stamp > $1 ORDER BY stamp LIMIT $2", decode)
        head = Query(
            """
            SELECT stamp, expired, EXISTS (SELECT FROM \(table) WHERE \(table).stamp = $1)
            FROM row_lanes WHERE lane = \(lane.number)
            """
        ) { row in
            (stamp: try row.int(0), expired: try row.int(1), isKnown: try row.bool(2))
        }
    }
}
