import ParleyModel

/// Statements for `AttachmentStore`.
package enum AttachmentQueries {
    private static let columns = """
        attachments.id, attachments.owner_id, attachments.name, attachments.type, attachments.size,
        attachments.received, attachments.upload, attachments.sha256, attachments.width, attachments.height,
        attachments.created_ms, attachments.is_complete
        """
    private static let isErased = """
        EXISTS (SELECT 1 FROM users WHERE users.id = attachments.owner_id AND users.erased_ms IS NOT NULL)
        """
    /// Whether a message refers to the attachment, or it is its owner's picture or that of a room.
    private static let isUsed = """
        (EXISTS (SELECT 1 FROM attachment_uses WHERE attachment_id = attachments.id) OR \(isAvatar))
        """
    private static let isAvatar = """
        EXISTS (SELECT 1 FROM users
            WHERE users.id = attachments.owner_id AND users.avatar_url = '\(Attachment.pathPrefix)' || attachments.id)
        """

    /// Whether a use is the picture of a room (`AttachmentUse.isPicture`).
    private static let isPicture = "used.message_id = ''"

    // MARK: Uploads

    package static let usage = "SELECT count(*), coalesce(sum(size), 0) FROM attachments WHERE owner_id = ?"
    static let insert = """
        INSERT INTO attachments (id, owner_id, name, type, size, sha256, created_ms, due_ms)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """
    package static let find = """
        SELECT \(columns) FROM attachments WHERE id = ? AND is_removing = 0 AND NOT \(isErased)
        """
    package static let findReadable = """
        SELECT \(columns) FROM attachments WHERE id = ?1 AND is_removing = 0 AND NOT \(isErased)
            AND (owner_id = ?2 OR is_complete AND (\(isAvatar) OR EXISTS (
                SELECT 1 FROM attachment_uses AS used
                WHERE used.attachment_id = ?1 AND used.check_ms IS NULL AND (EXISTS (
                    SELECT 1 FROM members WHERE members.thread_id = used.thread_id AND members.user_id = ?2
                        AND (members.visible_from = 0 OR \(isPicture) OR members.visible_from <= (
                            SELECT messages.seq FROM messages
                            WHERE messages.thread_id = used.thread_id AND messages.id = used.message_id)))
                    OR \(isPicture) AND EXISTS (
                        SELECT 1 FROM threads WHERE threads.id = used.thread_id AND threads.visibility = 'public')))))
        """
    package static let unconfirmed = """
        SELECT thread_id, message_id FROM attachment_uses AS used
        WHERE attachment_id = ?1 AND check_ms IS NOT NULL AND (recipient_id = ?2 OR EXISTS (
            SELECT 1 FROM members WHERE members.thread_id = used.thread_id AND members.user_id = ?2))
        ORDER BY created_ms DESC LIMIT ?3
        """
    package static let advance = """
        UPDATE attachments SET received = ?3, upload = ?4, due_ms = ?5
        WHERE id = ?1 AND received = ?2 AND is_complete = 0 AND is_removing = 0 AND NOT \(isErased)
        """
    package static let complete = """
        UPDATE attachments SET is_complete = 1, upload = NULL, sha256 = ?2, width = ?3, height = ?4, due_ms = ?5
        WHERE id = ?1 AND received = size AND is_complete = 0 AND is_removing = 0 AND NOT \(isErased)
        """

    // MARK: Uses

    /// Finds the usable attachments among the IDs in a JSON array.
    package static let findUsable = """
        SELECT \(columns) FROM json_each(?1) CROSS JOIN attachments ON attachments.id = value
        WHERE owner_id = ?2 AND is_complete = 1 AND is_removing = 0 AND NOT \(isErased)
        """
    package static let keep = "UPDATE attachments SET due_ms = NULL WHERE id = ?"
    static let insertUse = """
        INSERT INTO attachment_uses (attachment_id, thread_id, message_id, recipient_id, created_ms, check_ms)
        VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
        """
    package static let forgetUses = """
        DELETE FROM attachment_uses WHERE thread_id = ? AND message_id = ? AND check_ms IS NOT NULL
        RETURNING attachment_id
        """
    package static let postpone = """
        UPDATE attachments SET due_ms = ?2 WHERE id = ?1 AND is_removing = 0 AND NOT \(isErased)
        """
    package static let keepAvatar = """
        UPDATE attachments SET due_ms = NULL
        WHERE id = ?1 AND owner_id = ?2 AND is_complete = 1 AND is_removing = 0 AND NOT \(isErased)
        """
    package static let releaseAvatar = """
        UPDATE attachments SET due_ms = 0 WHERE id = ?1 AND owner_id = ?2 AND is_removing = 0 AND NOT \(isUsed)
        """

    // MARK: Removal

    package static let owned = "SELECT 1 FROM attachments WHERE id = ? AND owner_id = ? AND is_removing = 0"
    package static let discard = """
        UPDATE attachments SET is_removing = 1, due_ms = 0
        WHERE id = ? AND is_removing = 0 AND NOT \(isUsed)
        """
    /// Returns the uses to check, whether their message is stored and has parts, and whether their room was deleted.
    package static let unchecked = """
        SELECT used.thread_id, used.message_id, used.attachment_id, EXISTS (
            SELECT 1 FROM messages
            WHERE messages.thread_id = used.thread_id AND messages.id = used.message_id AND parts IS NOT NULL),
            used.recipient_id IS NULL AND NOT EXISTS (SELECT 1 FROM threads WHERE threads.id = used.thread_id)
        FROM attachment_uses AS used WHERE used.check_ms <= ? ORDER BY used.check_ms LIMIT ?
        """
    package static let setCheck = """
        UPDATE attachment_uses SET check_ms = ? WHERE attachment_id = ? AND thread_id = ? AND message_id = ?
        """
    package static let deleteUse = """
        DELETE FROM attachment_uses WHERE attachment_id = ? AND thread_id = ? AND message_id = ?
        """
    package static let due = """
        SELECT \(columns), \(isErased) OR is_removing OR NOT \(isUsed)
        FROM attachments WHERE due_ms <= ? ORDER BY due_ms LIMIT ?
        """
    /// Takes an attachment that is being removed from the rooms whose picture it is.
    package static let forgetPicture = """
        UPDATE threads SET options = json_set(
            json_remove(options, '$.\(RoomOptions.pictureKey)'), '$.changes', coalesce(options ->> '$.changes', 0) + 1)
        WHERE id IN (
            SELECT used.thread_id FROM attachment_uses AS used
            JOIN attachments ON attachments.id = used.attachment_id
            WHERE used.attachment_id = ?1 AND \(isPicture) AND attachments.is_removing = 1)
            AND options ->> '$.\(RoomOptions.pictureKey)' = ?1
        """
    /// Ends the use of the picture of a room.
    package static let endPicture = "DELETE FROM attachment_uses WHERE thread_id = ? AND message_id = ''"
    package static let beginRemoval = "UPDATE attachments SET is_removing = 1, due_ms = ? WHERE id = ?"
    package static let delete = "DELETE FROM attachments WHERE id = ? AND is_removing = 1"
}
