import GRDB
import ParleySQLite
import ParleyTestContracts
import Testing

/// Checks query plans: a query that scans rows works in a test and fails on a large site.
@Suite("Plans of the SQLite store's queries")
struct SQLitePlanTests {
    private static let reading = [
        ReadQueries.newestMessages, ReadQueries.oldestMessages, ReadQueries.lastSeqBefore, ReadQueries.firstSeqFrom,
        ReadQueries.head, ReadQueries.inbox, ReadQueries.markRead,
        ReadQueries.markAllRead, ReadQueries.lastSeqUpTo, ReadQueries.oldestEvents, ReadQueries.threads,
        ReadQueries.places, EventQueries.isKnown, EventQueries.batches, EventQueries.end, EventQueries.insert,
        ReadQueries.reactions, ReadQueries.messagePlace, ReadQueries.goneMessages, ReadQueries.search,
        ReadQueries.sentWithClientID,
        ReadQueries.sentWithoutClientID,
    ]
    private static let writing = [
        WriteQueries.thread, WriteQueries.updateThread, WriteQueries.countUsers, WriteQueries.advanceCursor,
        WriteQueries.seqOfMessage, SendQueries.uses, SendQueries.repeat, SendQueries.deletedEpochs,
        SendQueries.deleteOutbox, SendQueries.forgetRejects, WriteQueries.seqOfEvent, WriteQueries.isSeqTaken,
        WriteQueries.neighbours, WriteQueries.countUpMessages, WriteQueries.countUpEvents,
        WriteQueries.countUpCursors, WriteQueries.checkpoint, WriteQueries.rejectReason, WriteQueries.insertMember,
        WriteQueries.deleteMember, WriteQueries.setRole, WriteQueries.rename, SendQueries.hasPendingLeave,
        WriteQueries.isErased, WriteQueries.messageOfEvent, WriteQueries.edit, WriteQueries.delete,
        WriteQueries.forgetEdits, WriteQueries.forgetReactions, WriteQueries.unreact,
        WriteQueries.hasSupersedingReaction,
        TextIndexQueries.hasMore, TextIndexQueries.add, TextIndexQueries.setEnd,
    ]
    private static let accounts = [
        AccountQueries.credentials, AccountQueries.lookIsTaken,
        AccountQueries.deleteSession, AccountQueries.sessionByPrefix, AccountQueries.restrictions,
        SanctionQueries.ofUser,
        SanctionQueries.end, SanctionQueries.page,
        AttachmentQueries.forgetPicture, AttachmentQueries.endPicture, LinkQueries.ofThread, LinkQueries.ofCode,
        LinkQueries.room, LinkQueries.remove, LinkQueries.use,
        LinkQueries.removeEnded,
        SuspensionQueries.ofUser, SuspensionQueries.put,
        DeviceQueries.user, DeviceQueries.session, DeviceQueries.ofDigest, DeviceQueries.removeDigest,
        DeviceQueries.keepNewest, DeviceQueries.ofUser, DeviceQueries.toNotify, DeviceQueries.remove,
        DeviceQueries.removeDead,
        NotificationQueries.ofUser, NotificationQueries.threadsOfUser, NotificationQueries.ofThread,
        NotificationQueries.ofUsers, NotificationQueries.ofUsersInThread, NotificationQueries.member,
        NotificationQueries.removeVoid, NotificationQueries.countOthers, NotificationQueries.removeThread,
        SuspensionQueries.end, SuspensionQueries.page, AuditQueries.erasure, AuditQueries.forgetReasons,
        AuditQueries.deletion, AuditQueries.prune, AuditQueries.ofThread, AuditQueries.ofUser, AuditQueries.ofActor,
        AuditQueries.all, UnseenQueries.ofUser, UnseenQueries.prune, UnseenQueries.one,
        EntranceQueries.removeEndedInvitations, EntranceQueries.removeEndedRequests,
        EntranceQueries.facts, EntranceQueries.ofUser, EntranceQueries.ofThread, EntranceQueries.requestsOfUser,
        EntranceQueries.requestsOfThread, EntranceQueries.deleteInvitation, EntranceQueries.deleteRequest,
        EntranceQueries.deleteEndedRequests, EntranceQueries.hasThread,
        AccountQueries.purgeSessions, AccountQueries.publicRoomOfTitle, AccountQueries.role,
        AccountQueries.membershipsByTitle,
        AccountQueries.usersByID,
        AccountQueries.usersByName, AccountQueries.sessions, AccountQueries.memberships,
        AccountQueries.membershipsAtPlaces, AccountQueries.threadsByID,
        AccountQueries.peers,
        AccountQueries.roomsByTitle, AccountQueries.apiKeys, AccountQueries.userByID, AccountQueries.userByName,
        AccountQueries.threadWithHead, AccountQueries.usersByPrefix, AccountQueries.roomsByPrefix,
        AccountQueries.deleteAPIKey, AccountQueries.eraseUser, AccountQueries.deleteSessionsOfUser,
        AccountQueries.eraseNames, AccountQueries.eraseMessage,
        AccountQueries.reactionsOfUser, AccountQueries.eraseReaction, AccountQueries.laterClientIDs,
        AccountQueries.forgetClientID, AccountQueries.forgetLaterClientID, AccountQueries.deleteLaterSends,
        AccountQueries.insertSession, AccountQueries.operatorStatus,
    ]

    private static let rows = RowTable.all.flatMap { [$0.unread, $0.hasStamp, $0.oldestUnread] }

    private static let state = [
        StateQueries.roles, StateQueries.restrict, StateQueries.isPresent, StateQueries.membersOfThread,
        StateQueries.epoch, StateQueries.setVisibility, StateQueries.setHistory, StateQueries.history,
        StateQueries.beginLog, WriteQueries.setStart,
        StateQueries.setPassword, StateQueries.invalidateCredentials, StateQueries.threadsOfMember,
        StateQueries.grantOperator, StateQueries.revokeOperator,
        StateQueries.deleteCleanup, StateQueries.cleanups, StateQueries.isClaimed, StateQueries.renewCleanup,
        StateQueries.overdueEntries, AccountQueries.sentWithClientID, AccountQueries.sentWithoutClientID,
        StateQueries.entriesOfThread, StateQueries.complete,
        StateQueries.changes, StateQueries.snapshots, StateQueries.setRoom, StateQueries.details, StateQueries.options,
        BlockQueries.since, BlockQueries.remove, BlockQueries.made, BlockQueries.ofUsers, BlockQueries.between,
    ]

    private static let attachments = [
        AttachmentQueries.usage, AttachmentQueries.find, AttachmentQueries.findReadable, AttachmentQueries.unconfirmed,
        AttachmentQueries.advance,
        AttachmentQueries.complete, AttachmentQueries.findUsable, AttachmentQueries.keep,
        AttachmentQueries.forgetUses, AttachmentQueries.postpone, AttachmentQueries.keepAvatar,
        AttachmentQueries.releaseAvatar, AttachmentQueries.owned, AttachmentQueries.discard,
        AttachmentQueries.unchecked, AttachmentQueries.setCheck, AttachmentQueries.deleteUse, AttachmentQueries.due,
        AttachmentQueries.beginRemoval, AttachmentQueries.delete,
    ]

    @Test("no table is scanned", arguments: reading + writing + accounts + rows + state + attachments)
    func searches(sql: String) async throws {
        let plan = try await plan(of: sql)
        #expect(plan.contains { $0.hasPrefix("SEARCH") })
        // The key list, and a WITHOUT ROWID table's own index in an ordered and limited range, are not scans; nor is
        // the full-text index, which is always reported as one, nor are the five members that name a group (`first`),
        // and a row of constants (`one`).
        let scans = plan.filter {
            $0.hasPrefix("SCAN") && !$0.contains("json_each")
                && !["SCAN CONSTANT ROW", "SCAN first", "SCAN one"].contains($0)
                && !$0.hasPrefix("SCAN messages_text VIRTUAL TABLE INDEX")
        }
        #expect(scans.isEmpty, "\(plan)")
    }

    @Test(
        "a page is read in index order, without sorting",
        arguments: [
            ReadQueries.newestMessages, ReadQueries.oldestMessages, ReadQueries.lastSeqBefore,
            ReadQueries.firstSeqFrom, ReadQueries.lastSeqUpTo, ReadQueries.oldestEvents, WriteQueries.seqOfEvent,
            ReadQueries.reactions, ReadQueries.sentWithClientID, ReadQueries.sentWithoutClientID,
            AccountQueries.usersByPrefix, AccountQueries.roomsByPrefix, StateQueries.entries,
            StateQueries.entriesOfThread, StateQueries.changes, StateQueries.threadsOfMember,
        ])
    func needsNoSorting(sql: String) async throws {
        let plan = try await plan(of: sql)
        #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
    }

    @Test(
        "bounds by date are found by an index-only scan",
        arguments: [
            ReadQueries.lastSeqBefore, ReadQueries.firstSeqFrom, ReadQueries.lastSeqUpTo,
        ])
    func isCovered(sql: String) async throws {
        #expect(try await plan(of: sql).contains { $0.contains("COVERING INDEX messages_by_date") })
    }

    @Test(
        "messages deleted after a cursor are counted in an index of their own",
        arguments: [
            ReadQueries.inbox, ReadQueries.threads,
        ])
    func countsDeleted(sql: String) async throws {
        #expect(
            try await plan(of: sql).contains { $0.contains("COVERING INDEX messages_deleted (thread_id=? AND seq>?)") })
    }

    private func plan(of sql: String) async throws -> [String] {
        let database = try await SQLiteTestDatabase.make()
        let plan = try await database.connection().read { db in
            let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN \(sql)")
            statement.setUncheckedArguments([])
            return try Row.fetchAll(statement).map { row in row["detail"] as String }
        }
        try await database.remove()
        return plan
    }
}
