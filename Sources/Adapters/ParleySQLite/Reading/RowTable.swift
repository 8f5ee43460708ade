import GRDB
import ParleyModel
import ParleyStorage

/// The table of a `RowLane`, and its statements for the stream of stored events.
package struct RowTable: Sendable {
    let lane: RowLane
    private let table: String
    /// Returns the rows above the stamp `?1`, at most `?2`.
    package let unread: String
    private let decode: @Sendable (Row) throws -> EventBatch

    /// The tables of all lanes.
    package static let all = [
        RowTable(lane: .audit, table: "audit", unread: AuditQueries.unread) { row in
            EventBatch(.audit, stamp: row[10], .audit(try AuditEntry(row: row)))
        },
        RowTable(lane: .unseen, table: "unseen", unread: UnseenQueries.unread) { row in
            EventBatch(.unseen, stamp: row[10], UnseenMessage(shown: row).map { .unseen($0) })
        },
    ]

    /// The last stamp of each lane, and the greatest one of a row that has expired.
    package static let heads = "SELECT lane, stamp, expired FROM row_lanes"
    package var hasStamp: String { "SELECT EXISTS (SELECT 1 FROM \(table) WHERE stamp = ?)" }
    package var oldestUnread: String { "SELECT min(stamp) FROM \(table) WHERE stamp > ?" }

    static func heads(_ db: Database) throws -> [RowLane: (stamp: Int64, expired: Int64)] {
        let rows = try db.all(heads, []) { row in
            (lane: Int(row[0] as Int64), stamp: row[1] as Int64, expired: row[2] as Int64)
        }
        var heads: [RowLane: (stamp: Int64, expired: Int64)] = [:]
        for row in rows { if let lane = RowLane(number: row.lane) { heads[lane] = (row.stamp, row.expired) } }
        return heads
    }

    func unread(after cursor: EventCursor, limit: Int, _ db: Database) throws -> [EventBatch] {
        try db.all(unread, [cursor.lowerBound(of: lane.number), limit], decode)
    }
}
