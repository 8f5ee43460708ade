package import ParleyModel

/// A number of rows that facts look up without a store.
package enum StoreRowCount: Hashable, Sendable {
    case attachmentUses
    case attachments
    case namedAttachments
    /// The attachments with this id that are never due.
    case keptAttachments(AttachmentID)
    case cleanups
    case messages
    case texts
    case textsOf(UserID)
    /// The messages that own their `client_id`.
    case namedMessages
    /// What is left of the `client_id`s of a user, and of all later uses.
    case tracesOfSends(UserID)
    case outbox
    case reactionEvents
    /// The rejected entries about messages of a thread.
    case rejects(ThreadID)
    case repeats
    case restrictions
    case sanctions
    case links
    case invitations
    case joinRequests
}

/// A change of rows that facts make without a store.
package enum StoreRowChange: Hashable, Sendable {
    case eraseUser(UserID, at: Int64)
    case setPasswordHash(String, of: UserID)
    case setCleanupsDue(Int64)
    case setOutboxKind(String, of: Int64)
    /// An entry of arbitrary content.
    case addOutboxEntry(ThreadID)
    case endEpoch(String, of: ThreadID)
    /// Removes the batches of `event_batches` above a stamp.
    case forgetEventBatches(after: Int64)
}

// MARK: SQL

extension StoreRowCount {
    /// In SQL that every database understands.
    package var sql: String {
        switch self {
        case .attachmentUses: "SELECT count(*) FROM attachment_uses"
        case .attachments: "SELECT count(*) FROM attachments"
        case .namedAttachments: "SELECT count(*) FROM attachments WHERE name <> ''"
        case .keptAttachments(let id): "SELECT count(*) FROM attachments WHERE id = '\(id)' AND due_ms IS NULL"
        case .cleanups: "SELECT count(*) FROM cleanups"
        case .messages: "SELECT count(*) FROM messages"
        case .texts: "SELECT count(*) FROM messages WHERE text <> ''"
        case .textsOf(let user): "SELECT count(*) FROM messages WHERE sender_id = '\(user)' AND text <> ''"
        case .namedMessages: "SELECT count(*) FROM messages WHERE client_id IS NOT NULL"
        case .tracesOfSends(let user):
            """
            SELECT (SELECT count(*) FROM messages WHERE sender_id = '\(user)'
                AND (client_id IS NOT NULL OR later_client_id IS NOT NULL OR content_digest IS NOT NULL))
                + (SELECT count(*) FROM later_sends)
            """
        case .outbox: "SELECT count(*) FROM outbox"
        case .reactionEvents: "SELECT count(*) FROM events WHERE kind = 'reaction' AND text <> ''"
        case .rejects(let thread):
            "SELECT count(*) FROM ingest_rejects WHERE thread_id = '\(thread)' AND message_id IS NOT NULL"
        case .repeats: "SELECT count(*) FROM repeats"
        case .restrictions: "SELECT count(*) FROM restrictions"
        case .invitations: "SELECT count(*) FROM invitations"
        case .joinRequests: "SELECT count(*) FROM join_requests"
        case .sanctions: "SELECT count(*) FROM sanctions"
        case .links: "SELECT count(*) FROM links"
        }
    }
}

extension StoreRowChange {
    /// In SQL that every database understands.
    package var sql: String {
        switch self {
        case .eraseUser(let user, let milliseconds):
            "UPDATE users SET erased_ms = \(milliseconds) WHERE id = '\(user)'"
        case .setPasswordHash(let hash, let user): "UPDATE users SET password_hash = '\(hash)' WHERE id = '\(user)'"
        case .setCleanupsDue(let due): "UPDATE cleanups SET due_ms = \(due)"
        case .setOutboxKind(let kind, let id): "UPDATE outbox SET kind = '\(kind)' WHERE id = \(id)"
        case .addOutboxEntry(let thread):
            "INSERT INTO outbox (thread_id, kind, payload, created_ms) VALUES ('\(thread)', 'joined', '{}', 1)"
        case .endEpoch(let epoch, let thread):
            "INSERT INTO deleted_epochs (thread_id, epoch, deleted_ms) VALUES ('\(thread)', '\(epoch)', 1)"
        case .forgetEventBatches(let stamp): "DELETE FROM event_batches WHERE stamp > \(stamp)"
        }
    }
}
