import ParleyStorage

extension ThreadState {
    /// Decodes a row of `WriteQueries.threads`, whose first column is the id.
    init(row: Row) throws(PostgresError) {
        let (first, second) = (try row.optionalText(6), try row.optionalText(7))
        self.init(
            epoch: try row.optionalText(1), headSeq: try row.int(2), headN: try row.int(3),
            headMilliseconds: try row.int(4), lastMessageSeq: try row.optionalInt(5),
            pair: Set([first, second].compactMap { $0 }))
    }
}
