package import ParleyModel
package import ParleyStorage

/// All tables of the database, as one value: a copy is a snapshot.
///
/// Tables hold rows and the indexes by which they are found. Whatever a trigger of PostgreSQL's schema does is done by the
/// function that writes the row. No result depends on the order of a set or a dictionary.
package struct Tables: Sendable {
    // MARK: Accounts

    package internal(set) var users: [UserID: UserRow] = [:]
    package internal(set) var usersByName: [ByteText: UserID] = [:]
    package internal(set) var sessions: [TokenHash: SessionRow] = [:]
    package internal(set) var sessionsByUser: [UserID: Set<TokenHash>] = [:]
    package internal(set) var devices: [DeviceID: DeviceRow] = [:]
    package internal(set) var notificationSettings: [UserID: NotificationSettings] = [:]
    package internal(set) var threadNotifications: [MemberPlace: ThreadNotifications] = [:]
    package internal(set) var apiKeys: [TokenHash: APIKeyRecord] = [:]

    // MARK: Threads

    package internal(set) var threads: [ThreadID: ThreadRow] = [:]
    /// The public rooms.
    package internal(set) var threadsByTitle: [ByteText: ThreadID] = [:]
    package internal(set) var members: [ThreadID: [UserID: MemberRow]] = [:]
    package internal(set) var threadsByMember: [UserID: Set<ThreadID>] = [:]
    package internal(set) var restrictions: [MemberPlace: Restrictions] = [:]
    /// The users that each user blocks, with the times at which the blocks were made.
    package internal(set) var blocks: [UserID: [UserID: Int64]] = [:]
    package internal(set) var sanctions: [MemberPlace: [Sanction.Kind: SanctionRow]] = [:]
    package internal(set) var links: [ThreadID: [LinkID: LinkRow]] = [:]
    package internal(set) var invitations: [MemberPlace: Invitation] = [:]
    package internal(set) var requests: [MemberPlace: JoinRequest] = [:]
    package internal(set) var logs: [ThreadID: ThreadLog] = [:]
    /// The logs with rows of a user.
    package internal(set) var logsByUser: [UserID: Set<ThreadID>] = [:]
    package internal(set) var sends: [SendKey: SendRow] = [:]

    // MARK: Ingest

    package internal(set) var checkpoints: [Partition: IngestCheckpoint] = [:]
    package internal(set) var progress: [Int: Int64] = [:]
    /// Ascending by stamp; all in one lane, since a batch is written in one step.
    package internal(set) var eventBatches: [EventBatch] = []
    package internal(set) var eventGroups: [String: EventGroup] = [:]
    package internal(set) var webhooks: [String: WebhookRow] = [:]
    /// The ID given to a dead letter last.
    package internal(set) var lastDeadLetter: Int64 = 0
    /// The tokens of the readers of groups, by group.
    package internal(set) var eventGroupTokens: [String: String] = [:]
    package internal(set) var rejects: [RejectRow] = []
    package internal(set) var rejectsByKey: [RejectKey: Int] = [:]

    // MARK: Attachments

    package internal(set) var attachments: [AttachmentID: AttachmentRow] = [:]
    package internal(set) var attachmentsByOwner: [UserID: Set<AttachmentID>] = [:]
    package internal(set) var uses: [AttachmentID: [AttachmentUse: UseRow]] = [:]
    package internal(set) var attachmentsByUse: [AttachmentUse: Set<AttachmentID>] = [:]

    // MARK: State changes

    /// Ascending by id.
    package internal(set) var outbox: [OutboxRow] = []
    /// The id given last. Ids of transactions that are rolled back are not given again.
    package internal(set) var lastOutboxID: Int64 = 0
    package internal(set) var audit: [AuditEntry] = []
    /// The id given last.
    package internal(set) var lastAuditID: Int64 = 0
    /// The places of the rows in the stream of stored events, by id.
    var auditStamps: [Int64: Int64] = [:]
    /// Ascending by stamp.
    package internal(set) var unseen: [UnseenRow] = []
    /// The last stamp of each lane, and the greatest one of a row that has expired.
    var laneHeads: [RowLane: (stamp: Int64, expired: Int64)] = [:]
    package internal(set) var deletedEpochs: [ThreadID: Set<String>] = [:]
    /// When each cleanup is due, by the database's clock.
    package internal(set) var cleanups: [Cleanup.Subject: Int64] = [:]
    package internal(set) var versions: [String: VersionRow] = [:]
    /// The transaction that raised versions last.
    package internal(set) var lastTransaction: Int64 = 0
    /// The versions that this transaction raises at its commit.
    var raised: Set<String> = []

    package struct VersionRow: Sendable {
        package var version: Int64
        package var transaction: Int64
    }

    package struct UnseenRow: Sendable {
        let stamp: Int64
        package let message: UnseenMessage
    }

    package struct WebhookRow: Sendable {
        package var webhook: Webhook
        package var token = ""
        /// Ascending by ID.
        package var letters: [DeadLetter] = []
    }

    /// Where messages with a `client_id` are stored.
    package struct SendRow: Sendable {
        package struct Place: Hashable, Sendable {
            package let thread: ThreadID
            package let seq: Int64
        }

        package var first: Place?
        /// In the order of thread and seq.
        package var later: [Place] = []
    }

    // MARK: Versions

    mutating func raise(_ user: UserID) { raised.insert("u:\(user.text)") }
    mutating func raise(profileOf user: UserID) { raised.insert("p:\(user.text)") }
    mutating func raise(room: ThreadID) { raised.insert("t:\(room.text)") }
    mutating func raise(_ key: TokenHash) { raised.insert("k:\(key.text)") }

    /// Raises the versions of what the transaction has changed.
    mutating func commit() {
        guard !raised.isEmpty else { return }
        lastTransaction += 1
        for subject in raised {
            versions[subject, default: VersionRow(version: 0, transaction: 0)].version += 1
            versions[subject]?.transaction = lastTransaction
        }
        raised = []
    }

    // MARK: Outbox

    /// - Parameter created: 0 for an entry that only persisters relay.
    @discardableResult
    mutating func addToOutbox(_ draft: OutboxEntry.Draft, created: Int64) -> OutboxEntry {
        lastOutboxID += 1
        let stored = draft.content.stored
        outbox.append(
            OutboxRow(
                id: lastOutboxID, thread: draft.thread, kind: stored.kind, payload: stored.payload, created: created))
        return OutboxEntry(id: lastOutboxID, thread: draft.thread, content: draft.content)
    }

    /// - Returns: whether the entry existed.
    @discardableResult
    mutating func removeFromOutbox(_ id: Int64) -> Bool {
        let index = ThreadLog.index(in: outbox) { $0.id < id }
        guard index < outbox.count, outbox[index].id == id else { return false }
        outbox.remove(at: index)
        return true
    }

    /// Whether an event about the departure of a user waits in the outbox.
    func hasPendingLeave(of user: UserID, from thread: ThreadID) -> Bool {
        outbox.contains { row in
            guard row.thread == thread, row.kind == LogEvent.Kind.left.rawValue,
                case .append(.left(let gone, _)) = row.entry.content
            else { return false }
            return gone.id == user
        }
    }

    // MARK: Rejects

    mutating func reject(_ row: RejectRow, _ key: RejectKey) {
        guard rejectsByKey[key] == nil else { return }
        rejectsByKey[key] = rejects.count
        rejects.append(row)
    }

    mutating func forgetRejects(where matches: (RejectRow) -> Bool) {
        for index in rejects.indices where matches(rejects[index]) { rejects[index].bytes = [] }
    }
}
