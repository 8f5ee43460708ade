import ParleyModel

extension Tables {
    /// An attachment that is not being removed, and whose owner is not erased.
    func usable(_ id: AttachmentID) -> AttachmentRow? {
        guard let row = attachments[id], !row.isRemoving, !isErased(row.attachment.owner) else { return nil }
        return row
    }

    func usage(of user: UserID) -> AttachmentUsage {
        let sizes = (attachmentsByOwner[user] ?? []).compactMap { attachments[$0]?.attachment.size }
        return AttachmentUsage(bytes: sizes.reduce(0, +), files: Int64(sizes.count))
    }

    /// Whether a user is a member who sees the stored message of a use.
    func shows(_ use: AttachmentUse, to user: UserID) -> Bool {
        guard let row = member(user, of: use.thread) else { return false }
        guard row.visibleFrom > 0, !use.isPicture else { return true }
        return logs[use.thread]?.message(use.message).map { $0.seq >= row.visibleFrom } ?? false
    }

    func isAvatar(_ attachment: Attachment) -> Bool { users[attachment.owner]?.avatarURL == attachment.path }

    /// Whether a message refers to it, or it is its owner's picture.
    func isUsed(_ attachment: Attachment) -> Bool {
        uses[attachment.id]?.isEmpty == false || isAvatar(attachment)
    }

    /// The unconfirmed uses that are due for it, the longest due first.
    func usesToCheck(at milliseconds: Int64) -> [(id: AttachmentID, use: AttachmentUse, row: UseRow)] {
        let due = uses.flatMap { id, uses in
            uses.compactMap { use, row in
                row.check.map { $0 <= milliseconds } == true ? (id: id, use: use, row: row) : nil
            }
        }
        return due.sorted {
            ($0.row.check ?? 0, $0.id.text, $0.use.sortKey) < ($1.row.check ?? 0, $1.id.text, $1.use.sortKey)
        }
    }
}

extension AttachmentUse {
    /// The order of uses where no other is given.
    var sortKey: String { "\(thread.text) \(message.text)" }
}
