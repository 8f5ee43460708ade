import Foundation
import GRDB
import ParleyModel
import ParleyStorage

extension StoredUse {
    /// Returns the stored uses of a name, beginning with the first.
    static func all(of name: SendKey, in db: Database) throws -> [StoredUse] {
        try db.all(SendQueries.uses, [name.sender.text, name.clientID]) { StoredUse(row: $0) }
    }

    /// Decodes a row of `SendQueries.uses`.
    init(row: Row) {
        let receipt = Receipt(
            thread: ThreadID(trusted: row[0]), position: Position(epoch: Epoch(row[2]), seq: row[1]),
            milliseconds: row[3], messageID: MessageID(trusted: row[4]), isRepeat: true)
        let digest: Data? = row[9]
        self.init(
            receipt: receipt, text: row[5], parts: row[6], replyTo: row[7], isGone: row[8],
            digest: digest.map { Array($0) })
    }
}
