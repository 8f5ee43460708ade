import GRDB
import ParleyStorage

extension ThreadState {
    /// Decodes a row of `WriteQueries.thread`.
    init(row: Row) {
        let first: String? = row[5]
        let second: String? = row[6]
        self.init(
            epoch: row[0], headSeq: row[1], headN: row[2], headMilliseconds: row[3], lastMessageSeq: row[4],
            pair: Set([first, second].compactMap { $0 }))
    }
}
