import GRDB
package import ParleyModel

/// Facts and changes of the pictures of rooms.
extension StateTransaction {
    package func picture(_ id: AttachmentID, of owner: UserID) throws -> Attachment? {
        try db.first(AttachmentQueries.findUsable, [SQLiteStore.json([id.text]), owner.text]) { Attachment(row: $0) }
    }

    func setPicture(_ picture: AttachmentID?, of thread: ThreadID) throws {
        try run(AttachmentQueries.endPicture, [thread.text])
        guard let picture else { return }
        let use = AttachmentUse.picture(of: thread)
        try run(
            AttachmentQueries.insertUse,
            [picture.text, thread.text, use.message.text, nil as String?, now, nil as Int64?])
        try run(AttachmentQueries.keep, [picture.text])
    }
}
