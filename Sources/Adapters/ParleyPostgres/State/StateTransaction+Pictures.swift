package import ParleyModel
import ParleyStorage

/// Facts and changes of the pictures of rooms.
extension StateTransaction {
    package func picture(_ id: AttachmentID, of owner: UserID) throws -> Attachment? {
        var pipeline = Pipeline()
        let found = pipeline.add(AttachmentQueries.findUsable(.texts([id.text]), .text(owner.text)))
        return try connection.run(pipeline).first(found)
    }

    func calls(ofPicture picture: AttachmentID?, of thread: ThreadID) -> [Call] {
        let ended = AttachmentQueries.endPicture(.text(thread.text))
        guard let picture else { return [ended] }
        let (ids, use) = (Parameter.texts([picture.text]), AttachmentUse.picture(of: thread))
        return [
            ended,
            AttachmentQueries.insertUses(
                ids, .text(thread.text), .text(use.message.text), .text(nil), .int(now), .int(nil)),
            AttachmentQueries.keep(ids),
        ]
    }
}
