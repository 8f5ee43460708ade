package import ParleyModel

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
        (EXISTS (SELECT 1 FROM attachment_uses WHERE attachment_uses.attachment_id = attachments.id) OR \(isAvatar))
        """
    private static let isAvatar = """
        EXISTS (SELECT 1 FROM users
            WHERE users.id = attachments.owner_id AND users.avatar_url = '\(Attachment.pathPrefix)' || attachments.id)
        """

    // MARK: Uploads

    /// Like `StateQueries.holdUser`, but also excludes other transactions that add files for the user.
    package static let holdOwner = Query(
        "SELECT 0::bigint FROM users WHERE id = $1 AND erased_ms IS NULL FOR NO KEY UPDATE")
    package static let usage = Query(
        "SELECT count(*), coalesce(sum(size), 0)::bigint FROM attachments WHERE owner_id = $1"
    ) { AttachmentUsage(bytes: try $0.int(1), files: try $0.int(0)) }
    static let insert = Statement(
        """
        INSERT INTO attachments (id, owner_id, name, type, size, sha256, created_ms, due_ms)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        """)
    /// Whether a use is the picture of a room (`AttachmentUse.isPicture`).
    private static let isPicture = "used.message_id = ''"
    /// The seq of the stored message of a use.
    private static let seqOfUse = """
        (SELECT messages.seq FROM messages
            WHERE \(Hashes.equal(("messages.thread_id", "messages.id"), ("used.thread_id", "used.message_id"))))
        """
    package static let find = Query(
        "SELECT \(columns) FROM attachments WHERE id = $1 AND NOT is_removing AND NOT \(isErased)"
    ) { try Attachment(row: $0) }
    package static let findReadable = Query(
        """
        SELECT \(columns) FROM attachments WHERE id = $1 AND NOT is_removing AND NOT \(isErased)
            AND (owner_id = $2 OR is_complete AND (\(isAvatar) OR EXISTS (
                SELECT 1 FROM attachment_uses AS used
                WHERE used.attachment_id = $1 AND used.check_ms IS NULL AND (EXISTS (
                    SELECT 1 FROM members WHERE members.thread_id = used.thread_id AND members.user_id = $2
                        AND (members.visible_from = 0 OR \(isPicture) OR members.visible_from <= \(seqOfUse)))
                    OR \(isPicture) AND EXISTS (
                        SELECT 1 FROM threads WHERE threads.id = used.thread_id AND threads.visibility = 'public')))))
        """
    ) { try Attachment(row: $0) }
    package static let unconfirmed = Query(
        """
        SELECT thread_id, message_id FROM attachment_uses AS used
        WHERE attachment_id = $1 AND check_ms IS NOT NULL AND (recipient_id = $2 OR EXISTS (
            SELECT 1 FROM members WHERE members.thread_id = used.thread_id AND members.user_id = $2))
        ORDER BY created_ms DESC LIMIT $3
        """
    ) { try AttachmentUse(row: $0) }
    package static let advance = Query(
        """
        UPDATE attachments SET received = $3, upload = $4, due_ms = $5
        WHERE id = $1 AND received = $2 AND NOT is_complete AND NOT is_removing AND NOT \(isErased) RETURNING 0::bigint
        """)
    package static let complete = Query(
        """
        UPDATE attachments SET is_complete = true, upload = NULL, sha256 = $2, width = $3, height = $4, due_ms = $5
        WHERE id = $1 AND received = size AND NOT is_complete AND NOT is_removing AND NOT \(isErased) RETURNING 0::bigint
        """)

    // MARK: Uses

    /// Locks the attachments, so that none of them is claimed for removal before the use is committed.
    package static let findUsable = Query(
        """
        SELECT \(columns) FROM attachments
        WHERE id = ANY ($1) AND owner_id = $2 AND is_complete AND NOT is_removing AND NOT \(isErased)
        ORDER BY id FOR UPDATE
        """
    ) { try Attachment(row: $0) }
    package static let keep = Statement("UPDATE attachments SET due_ms = NULL WHERE id = ANY ($1)")
    static let insertUses = Statement(
        """
        INSERT INTO attachment_uses (attachment_id, thread_id, message_id, recipient_id, created_ms, check_ms)
        SELECT id, $2, $3, $4, $5, $6 FROM unnest($1) AS id ON CONFLICT DO NOTHING
        """)
    package static let forgetUses = Query(
        """
        DELETE FROM attachment_uses WHERE thread_id = $1 AND message_id = $2 AND check_ms IS NOT NULL
        RETURNING attachment_id
        """
    ) { try $0.text(0) }
    package static let postpone = Statement(
        "UPDATE attachments SET due_ms = $2 WHERE id = ANY ($1) AND NOT is_removing AND NOT \(isErased)")
    /// Replaces the profile of user `$3`, whose picture becomes attachment `$4` unless that is `NULL`. Locks the user
    /// first, so that the later of two changes sees the picture that the earlier one set.
    package static let setProfile = Query(
        """
        WITH before AS MATERIALIZED (
            SELECT id, avatar_url FROM users WHERE id = $3 AND erased_ms IS NULL FOR NO KEY UPDATE),
        kept AS (
            UPDATE attachments SET due_ms = NULL FROM before
            WHERE attachments.id = $4 AND owner_id = before.id AND is_complete AND NOT is_removing
            RETURNING attachments.id),
        released AS (
            UPDATE attachments SET due_ms = 0 FROM before
            WHERE starts_with(before.avatar_url, '\(Attachment.pathPrefix)')
                AND attachments.id = substr(before.avatar_url, \(Attachment.pathPrefix.utf8.count + 1))
                AND owner_id = before.id AND attachments.id IS DISTINCT FROM $4 AND NOT is_removing
                AND ($4::text IS NULL OR EXISTS (SELECT 1 FROM kept)))
        UPDATE users SET display_name = $1, avatar_url = $2 FROM before
        WHERE users.id = before.id AND ($4::text IS NULL OR EXISTS (SELECT 1 FROM kept)) RETURNING 0::bigint
        """)

    // MARK: Removal

    package static let hold = Query(
        "SELECT 0::bigint FROM attachments WHERE id = $1 AND owner_id = $2 AND NOT is_removing FOR UPDATE")
    package static let discard = Query(
        "UPDATE attachments SET is_removing = true, due_ms = 0 WHERE id = $1 AND NOT \(isUsed) RETURNING 0::bigint")
    /// Confirms the uses by stored messages, removes the uses in deleted rooms, and postpones the check of the others
    /// to `$2`. Returns every use, and whether it remains unconfirmed.
    package static let checkUses = Query(
        """
        WITH due AS MATERIALIZED (
            SELECT attachment_id, thread_id, message_id,
                recipient_id IS NULL AND NOT EXISTS (SELECT 1 FROM threads WHERE threads.id = used.thread_id) AS is_lost,
                EXISTS (
                    SELECT 1 FROM messages
                    WHERE \(Hashes.equal(("messages.thread_id", "messages.id"), ("used.thread_id", "used.message_id")))
                        AND parts IS NOT NULL) AS is_stored
            FROM attachment_uses AS used WHERE check_ms <= $1 ORDER BY check_ms LIMIT $3 FOR UPDATE SKIP LOCKED),
        gone AS (
            DELETE FROM attachment_uses AS used USING due
            WHERE used.attachment_id = due.attachment_id AND used.thread_id = due.thread_id
                AND used.message_id = due.message_id AND NOT due.is_stored AND due.is_lost),
        kept AS (
            UPDATE attachment_uses AS used SET check_ms = CASE WHEN due.is_stored THEN NULL ELSE $2 END
            FROM due
            WHERE used.attachment_id = due.attachment_id AND used.thread_id = due.thread_id
                AND used.message_id = due.message_id AND (due.is_stored OR NOT due.is_lost))
        SELECT thread_id, message_id, NOT is_stored AND NOT is_lost FROM due
        """
    ) { (use: try AttachmentUse(row: $0), isLeft: try $0.bool(2)) }
    package static let holdDue = Query(
        "SELECT id FROM attachments WHERE due_ms <= $1 ORDER BY due_ms LIMIT $2 FOR UPDATE SKIP LOCKED"
    ) { try $0.text(0) }
    /// Applies to attachments that this transaction has locked.
    package static let keepUsed = Statement(
        """
        UPDATE attachments SET due_ms = NULL WHERE id = ANY ($1) AND NOT is_removing AND NOT \(isErased) AND \(isUsed)
        """)
    package static let beginRemoval = Query(
        """
        UPDATE attachments SET is_removing = true, due_ms = $2 WHERE id = ANY ($1) AND due_ms IS NOT NULL
        RETURNING \(columns)
        """
    ) { try Attachment(row: $0) }
    /// Takes attachments that are being removed from the rooms whose picture they are.
    package static let forgetPictures = Statement(
        """
        UPDATE threads SET options = ((threads.options::jsonb - '\(RoomOptions.pictureKey)') || jsonb_build_object(
            'changes', coalesce((threads.options::jsonb ->> 'changes')::bigint, 0) + 1))::text
        FROM attachment_uses AS used JOIN attachments ON attachments.id = used.attachment_id
        WHERE used.attachment_id = ANY ($1) AND \(isPicture) AND attachments.is_removing
            AND threads.id = used.thread_id
            AND threads.options::jsonb ->> '\(RoomOptions.pictureKey)' = used.attachment_id
        """)
    /// Ends the use of the picture of a room.
    static let endPicture = Statement("DELETE FROM attachment_uses WHERE thread_id = $1 AND message_id = ''")
    package static let delete = Statement("DELETE FROM attachments WHERE id = ANY ($1) AND is_removing")
}

extension AttachmentUse {
    /// - Parameter row: a row that begins with the thread and the message.
    fileprivate init(row: Row) throws {
        self.init(thread: ThreadID(trusted: try row.text(0)), message: MessageID(trusted: try row.text(1)))
    }
}

extension Attachment {
    /// - Parameter row: a row that `find` returns.
    fileprivate init(row: Row) throws {
        let height = try row.optionalInt(9)
        let dimensions = try row.optionalInt(8).flatMap { width in
            height.map { ImageDimensions(width: width, height: $0) }
        }
        self.init(
            id: AttachmentID(trusted: try row.text(0)), owner: UserID(trusted: try row.text(1)),
            name: try row.text(2), type: try row.text(3), size: try row.int(4), received: try row.int(5),
            upload: try row.optionalText(6), sha256: try row.optionalText(7), dimensions: dimensions,
            created: try row.int(10), isComplete: try row.bool(11))
    }
}
