import ParleyModel
import ParleyPostgres

/// Every statement of the store that finds or changes rows, with values from `LargeDatabase`.
extension PlannedCall {
    private static let big = Parameter.text("big")
    private static let now = Parameter.int(LargeDatabase.start)
    /// The queries of a batch of a hundred events in as many threads.
    private static let rooms = Parameter.texts((100..<200).map { "r\($0)" })
    private static let seqs = Parameter.ints((0..<100).map { _ in 15 })

    static let pages: [PlannedCall] = [
        0, 1, 30, LargeDatabase.size / 2, LargeDatabase.size - 10, LargeDatabase.size, .max,
    ].flatMap {
        seq in
        [
            PlannedCall(
                testDescription: "30 messages below \(seq)",
                call: ReadQueries.newestMessages(big, .int(0), .int(seq), .int(31)), messages: 31),
            PlannedCall(
                testDescription: "30 messages above \(seq)",
                call: ReadQueries.oldestMessages(big, .int(seq), .int(.max), .int(31)), messages: 31),
            PlannedCall(
                testDescription: "30 messages between \(seq) and ten before",
                call: ReadQueries.newestMessages(big, .int(seq - 10), .int(seq), .int(31)), messages: 9),
        ]
    }

    /// The end of the thread, and a message for each halving.
    private static let bisection = 1 + (Int64.bitWidth - LargeDatabase.size.leadingZeroBitCount)

    static let dates: [PlannedCall] = [0, 1, LargeDatabase.size / 2, LargeDatabase.size * 2].flatMap { second in
        let instant = Parameter.int(LargeDatabase.start + second * 1000)
        return [
            PlannedCall(
                testDescription: "the last seq before second \(second)", call: DateQueries.lastSeqBefore(big, instant),
                messages: bisection),
            PlannedCall(
                testDescription: "the first seq from second \(second)", call: DateQueries.firstSeqFrom(big, instant),
                messages: bisection + 1),
        ]
    }

    /// The two hundred threads of one user.
    static let lists = [
        PlannedCall(testDescription: "an inbox", call: ReadQueries.inbox(.text("busy"))),
        PlannedCall(testDescription: "read states", call: HistoryQueries.readStates(.texts(["busy"]), .int(501))),
    ]

    static let others: [PlannedCall] =
        [
            PlannedCall(
                testDescription: "changes of the feed",
                call: FeedQueries.changes(.text("3:3:"), .text("0"), .text(""), .int(100))),
            PlannedCall(
                testDescription: "snapshots of users", call: FeedQueries.snapshots(.texts(["busy", "u1", "nobody"]))),
            PlannedCall(
                testDescription: "the roles of two users", call: StateQueries.roles(big, .text("busy"), .text("u1"))),
            PlannedCall(testDescription: "suspensions", call: SuspensionQueries.page(now, .text("u1"), .int(50)).call),
            PlannedCall(
                testDescription: "the audit log of a thread",
                call: AuditQueries.page(AuditFilter(thread: ThreadID(trusted: "big")), before: nil, limit: 50).call),
            PlannedCall(testDescription: "a locked user", call: StateQueries.holdUser(.text("u1"))),
            PlannedCall(
                testDescription: "a room of a title",
                call: StateQueries.memberOfRoom(big, .text("room 0"), .text("busy"), .text("public"))),
            PlannedCall(
                testDescription: "a visibility", call: StateQueries.setVisibility(.text("private"), big)),
            PlannedCall(testDescription: "a history", call: StateQueries.setHistory(.text("all"), big)),
            PlannedCall(testDescription: "the history of a room", call: StateQueries.history(big)),
            PlannedCall(
                testDescription: "details",
                call: StateQueries.setRoom(.text("{}"), .text(nil), .text(nil), big)),
            PlannedCall(testDescription: "the details of a room", call: StateQueries.details(big).call),
            PlannedCall(testDescription: "the options of rooms", call: FeedQueries.options(rooms).call),
            PlannedCall(
                testDescription: "devices to keep", call: DeviceQueries.keepNewest(.text("u1"), .text("g"), .int(19))),
            PlannedCall(
                testDescription: "devices of a user", call: DeviceQueries.ofUser(.text("u1"), now, .int(20)).call),
            PlannedCall(
                testDescription: "devices to notify",
                call: DeviceQueries.toNotify(.texts(["u1", "u2"]), now, .int(40)).call),
            PlannedCall(testDescription: "a device", call: DeviceQueries.remove(.text("d1"), .text("u1")).call),
            PlannedCall(
                testDescription: "a dead device", call: DeviceQueries.removeDead(.text("d1"), .text("g1"), now).call),
            PlannedCall(testDescription: "settings", call: NotificationQueries.ofUser(.text("u1")).call),
            PlannedCall(
                testDescription: "settings for threads",
                call: NotificationQueries.threadsOfUser(.text("u1"), .int(1000)).call),
            PlannedCall(
                testDescription: "settings for a thread", call: NotificationQueries.ofThread(big, .text("u1")).call),
            PlannedCall(
                testDescription: "settings of recipients",
                call: NotificationQueries.ofRecipients(.texts(["u1", "u2"]), big).call),
            PlannedCall(
                testDescription: "settings without an effect",
                call: NotificationQueries.removeVoid(.text("u1"), big, now)),
            PlannedCall(
                testDescription: "a count of settings", call: NotificationQueries.countOthers(.text("u1"), big).call),
            PlannedCall(
                testDescription: "the end of settings", call: NotificationQueries.removeThread(big, .text("u1"))),
            PlannedCall(testDescription: "blocks of a user", call: BlockQueries.made(.text("u1"), .int(50)).call),
            PlannedCall(testDescription: "blocks of users", call: BlockQueries.ofUsers(.texts(["u1", "u2"])).call),
            PlannedCall(
                testDescription: "blocks among the members of a group",
                call: BlockQueries.among(.text("u1"), .texts(["u2", "u3"])).call),
            PlannedCall(testDescription: "a block of two", call: BlockQueries.between(.text("u1"), .text("u2")).call),
            PlannedCall(
                testDescription: "the end of a block", call: BlockQueries.remove(.text("u1"), .text("u2")).call),
            PlannedCall(
                testDescription: "starts of the log",
                call: WriteQueries.setStarts(rooms, .texts(["busy"]), .ints([1]), .ints([2]))),
            PlannedCall(
                testDescription: "a role", call: StateQueries.setRole(.text("owner"), big, .text("busy"))),
            PlannedCall(
                testDescription: "a restriction",
                call: StateQueries.restrict(big, .text("busy"), .text("removed"), .int(1))),
            PlannedCall(
                testDescription: "a sanction",
                call: SanctionQueries.put(
                    big, .text("busy"), .text("mute"), .int(nil), .text(nil), .text("u1"), .int(1))),
            PlannedCall(
                testDescription: "the end of a sanction", call: SanctionQueries.end(big, .text("busy"), .text("mute"))),
            PlannedCall(
                testDescription: "the sanctions in a thread",
                call: SanctionQueries.page(big, now, .text("busy"), .text("mute"), .int(50))),
            PlannedCall(
                testDescription: "a link",
                call: LinkQueries.insert(
                    .text("l"), big, .text("hash"), .text("u1"), .int(1), .int(nil), .int(nil), .int(0))),
            PlannedCall(testDescription: "links of a thread", call: LinkQueries.ofThread(big)),
            PlannedCall(testDescription: "the thread of a link", call: LinkQueries.threadOfCode(.text("hash"))),
            PlannedCall(testDescription: "a link of a code", call: LinkQueries.ofCode(.text("hash"))),
            PlannedCall(testDescription: "a use of a link", call: LinkQueries.use(big, .text("l"), .int(1))),
            PlannedCall(testDescription: "ended links", call: LinkQueries.removeEnded(.int(1), .int(500)).call),
            PlannedCall(
                testDescription: "ended invitations",
                call: EntranceQueries.removeEndedInvitations(.int(1), .int(500)).call),
            PlannedCall(
                testDescription: "ended requests", call: EntranceQueries.removeEndedRequests(.int(1), .int(500)).call),
            PlannedCall(testDescription: "revoked links", call: LinkQueries.remove(big, .texts(["l"]))),
            PlannedCall(
                testDescription: "the room of a link", call: LinkQueries.room(.text("hash"), .text("busy"))),
            PlannedCall(testDescription: "a removal", call: StateQueries.removeMember(big, .text("busy"))),
            PlannedCall(testDescription: "members of a thread", call: StateQueries.membersOfThread(big)),
            PlannedCall(
                testDescription: "a new password", call: StateQueries.setPassword(.text("h"), .text("u1"), .int(0))),
            PlannedCall(testDescription: "an operator", call: StateQueries.grantOperator(.text("u1"), now)),
            PlannedCall(testDescription: "a revoked operator", call: StateQueries.revokeOperator(.text("u1"))),
            PlannedCall(testDescription: "void credentials", call: StateQueries.invalidateCredentials(.text("u1"))),
            PlannedCall(
                testDescription: "threads of an erased user",
                call: StateQueries.threadsOfMember(.text("busy"), .int(200))),
            PlannedCall(
                testDescription: "memberships of an erased user",
                call: StateQueries.memberships(.text("busy"), rooms)),
            PlannedCall(
                testDescription: "memberships that end", call: StateQueries.leaveThreads(.text("busy"), rooms)),
            PlannedCall(testDescription: "the outbox", call: StateQueries.entries(now, .int(100))),
            PlannedCall(
                testDescription: "the outbox of a thread", call: StateQueries.entriesOfThread(.int(100), big)),
            PlannedCall(testDescription: "a complete entry", call: StateQueries.complete(.ints([1, 2]))),
            PlannedCall(testDescription: "a head", call: ReadQueries.head(big)),
            PlannedCall(testDescription: "heads", call: ReadQueries.heads(rooms)),
            PlannedCall(
                testDescription: "a read mark",
                call: ReadQueries.markRead(.int(LargeDatabase.size / 2), big, .text("busy"), now), messages: 1),
            PlannedCall(
                testDescription: "a read mark to the end", call: ReadQueries.markAllRead(big, .text("busy"), now)),
            PlannedCall(testDescription: "places of the log", call: HistoryQueries.places(big, seqs), messages: 1),
            PlannedCall(testDescription: "checkpoints", call: WriteQueries.checkpoints(.ints([7, 8]))),
            PlannedCall(
                testDescription: "the next checkpoints",
                call: WriteQueries.setCheckpoints(.ints([7, 8]), .texts(["i", "i"]), .texts(["2", "3"]))),
            PlannedCall(testDescription: "the threads of a batch", call: WriteQueries.threads(rooms)),
            PlannedCall(
                testDescription: "the heads after a batch",
                call: WriteQueries.updateThreads(
                    rooms, .texts((0..<100).map { _ in "e" }), seqs, seqs, seqs,
                    .optionalInts((0..<100).map { _ in 15 }))),
            PlannedCall(
                testDescription: "read marks of a batch",
                call: ReadQueries.markManyRead(
                    seqs, rooms, .texts((0..<100).map { _ in "busy" }), .optionalInts((0..<100).map { _ in 5 })),
                messages: 100),
            PlannedCall(
                testDescription: "missing members",
                call: WriteQueries.missingMembers(rooms, .texts((0..<100).map { _ in "busy" }))),
            PlannedCall(testDescription: "users of a batch", call: WriteQueries.users(.texts(["u1", "u2", "nobody"]))),
            PlannedCall(
                testDescription: "the cursors after a batch",
                call: WriteQueries.advanceCursors(rooms, .texts((0..<100).map { _ in "busy" }), seqs, seqs)),
            PlannedCall(testDescription: "empty seqs", call: SendQueries.repeats(rooms, seqs)),
            PlannedCall(testDescription: "the outbox", call: SendQueries.outbox(seqs)),
            PlannedCall(testDescription: "removed outbox entries", call: SendQueries.deleteOutbox(seqs)),
            PlannedCall(testDescription: "deleted epochs", call: SendQueries.deletedEpochs(rooms)),
            PlannedCall(
                testDescription: "rejects of deleted messages",
                call: SendQueries.forgetRejects(rooms, .texts((0..<100).map { _ in "m15" }))),
            PlannedCall(
                testDescription: "taken seqs", call: WriteQueries.takenSeqs(rooms, seqs), messages: 100),
            PlannedCall(
                testDescription: "stored events",
                call: WriteQueries.eventsBefore(
                    rooms, seqs, .texts((0..<100).map { _ in "e" }), rooms, .texts((0..<100).map { _ in "joined" }))),
            PlannedCall(
                testDescription: "stored rejects",
                call: WriteQueries.rejectReasons(
                    .ints([7, 7, 8]), .texts(["i", "i", "i"]), .texts(["7", "71", "x"]))),
            PlannedCall(
                testDescription: "the neighbours of a late event",
                call: WriteQueries.neighbours(big, .int(LargeDatabase.size / 2), .int(.max)), messages: 3),
            PlannedCall(
                testDescription: "the messages after a late one",
                call: WriteQueries.countUp[0](big, .int(LargeDatabase.size - 10)),
                messages: 10),
            PlannedCall(
                testDescription: "the events after a late one", call: WriteQueries.countUp[1](.text("r7"), .int(20))),
            PlannedCall(
                testDescription: "the cursors after a late one", call: WriteQueries.countUp[2](.text("r7"), .int(2))),
            PlannedCall(
                testDescription: "a name that looks like a user's",
                call: NameLookQueries.isTaken(.text("look 7"), .text("look 8"), .text("user 7"))),
            PlannedCall(testDescription: "a user by name", call: AccountQueries.credentials(.text("user 7"))),
            PlannedCall(
                testDescription: "a login",
                call: AccountQueries.insertSession(.text("new"), .text("u7"), .int(1), .int(0))),
            PlannedCall(testDescription: "a user who logs in", call: AccountQueries.holdCredentials(.text("u7"))),
            PlannedCall(
                testDescription: "the status of an operator", call: AdministrationQueries.operatorStatus(.text("u7"))),
            PlannedCall(testDescription: "a logout", call: AccountQueries.deleteSession(.text("h7"))),
            PlannedCall(
                testDescription: "a page of sessions",
                call: AccountQueries.sessionsOfUser(
                    .text("u7"), .int(0), .int(Int64.max), .text(""), .int(200))),
            PlannedCall(
                testDescription: "a session by its prefix",
                call: AccountQueries.sessionByPrefix(.text("u7"), .text("abc"))),
            PlannedCall(testDescription: "old sessions", call: AccountQueries.purgeSessions(.int(200), .int(100))),
            PlannedCall(testDescription: "a room", call: AccountQueries.publicRoomOfTitle(.text("room 77"))),
            PlannedCall(
                testDescription: "a member by title",
                call: AccountQueries.membershipsByTitle(.text("room 77"), .text("busy"))),
            PlannedCall(
                testDescription: "a new member",
                call: AccountQueries.insertMember(big, .text("u7"), .text("member"), now, .int(0))),
            PlannedCall(
                testDescription: "users by id", call: AccountQueries.usersByID(.texts((1...100).map { "u\($0)" }))),
            PlannedCall(
                testDescription: "users by name",
                call: AccountQueries.usersByName(.texts((1...100).map { "user \($0)" }))),
            PlannedCall(testDescription: "sessions", call: AccountQueries.sessions(.texts((1...100).map { "h\($0)" }))),
            PlannedCall(
                testDescription: "memberships", call: AccountQueries.memberships(.texts((1...100).map { "u\($0)" }))),
            PlannedCall(
                testDescription: "memberships in single threads",
                call: AccountQueries.membershipsAtPlaces(.texts((1...100).map { _ in "busy" }), rooms)),
            PlannedCall(testDescription: "memberships of one", call: AccountQueries.memberships(.texts(["busy"]))),
            PlannedCall(
                testDescription: "peers",
                call: AccountQueries.peers(
                    .texts((1...100).map { "u\($0)" }), .texts((101...200).map { "u\($0)" }))),
            PlannedCall(testDescription: "threads by id", call: AccountQueries.threadsByID(rooms)),
            PlannedCall(
                testDescription: "rooms by title", call: AccountQueries.roomsByTitle(.texts(["room 7", "room 8"]))),
        ] + hashed + erasures + changes + searches + administration

    /// The queries served by indexes of hashes.
    static let hashed: [PlannedCall] = [
        PlannedCall(
            testDescription: "stored messages by id",
            call: WriteQueries.messagesByID(rooms, .texts((0..<100).map { _ in "m15" })), messages: 100),
        PlannedCall(
            testDescription: "stored messages by client id",
            call: SendQueries.uses(.texts(["u8", "u9"]), .texts(["c0-7", "c0-8"])), messages: 2),
        PlannedCall(
            testDescription: "the hashes of client ids",
            call: SendQueries.places(.texts(["u8", "u9"]), .texts(["c0-7", "c0-8"])), messages: 2),
        PlannedCall(
            testDescription: "the messages of a batch's changes",
            call: WriteQueries.messagesOfEvents(rooms, .texts((0..<100).map { _ in "m15" })), messages: 100),
        PlannedCall(
            testDescription: "a message by its id", call: SearchQueries.messagePlace(big, .text("m77")), messages: 1),
        PlannedCall(
            testDescription: "the deleted ones of a hundred messages",
            call: SearchQueries.goneMessages(rooms, .texts((0..<100).map { _ in "m15" })), messages: 100),
        // The message after which a page begins is read again.
        PlannedCall(
            testDescription: "a page of what a user has sent",
            call: SearchQueries.sentWithClientID(.text("u8"), .text("c0-7"), .int(31)), messages: 32),
        PlannedCall(
            testDescription: "the first page of what a user has sent",
            call: SearchQueries.sentWithClientID(.text("u8"), .text(nil), .int(31)), messages: 31),
        PlannedCall(
            testDescription: "what a user is erased from",
            call: ErasureQueries.sentWithClientID(.text("u8"), .text("c0-7"), .int(31)), messages: 32),
        PlannedCall(
            testDescription: "client ids of an erased user",
            call: ErasureQueries.forgetClientIDs(.text("u8"), .texts(["c0-7", "none"])), messages: 1),
        PlannedCall(
            testDescription: "a page of what a user has sent without a client id",
            call: SearchQueries.sentWithoutClientID(.text("u10"), .text("big"), .int(9), .int(31)), messages: 33),
        PlannedCall(
            testDescription: "the first page of what a user has sent without a client id",
            call: SearchQueries.sentWithoutClientID(.text("u10"), .text(nil), .int(0), .int(31)), messages: 32),
    ]

    /// What an erasure reads and changes by other indexes than those of hashes.
    private static let erasures: [PlannedCall] = [
        PlannedCall(
            testDescription: "the reactions that a user is erased from",
            call: ErasureQueries.reactions(.text("u8"), .int(31))),
        PlannedCall(
            testDescription: "the client ids that later messages of a user have",
            call: ErasureQueries.laterClientIDs(.text("u8"), .int(31))),
        PlannedCall(
            testDescription: "client ids of an erased user's later messages",
            call: ErasureQueries.forgetLaterClientIDs(.text("u8"), .texts(["c0-7", "none"]))),
    ]

    /// The queries and changes of edits, deletions and reactions in a hundred threads.
    private static let changes: [PlannedCall] = [
        PlannedCall(
            testDescription: "edits",
            call: WriteQueries.edit(rooms, seqs, .texts((0..<100).map { _ in "new" }), seqs, seqs), messages: 100),
        PlannedCall(testDescription: "deletions", call: WriteQueries.delete(rooms, seqs, seqs), messages: 100),
        PlannedCall(
            testDescription: "previous texts of deleted messages",
            call: WriteQueries.forgetEdits(rooms, .texts((0..<100).map { _ in "m15" }))),
        PlannedCall(testDescription: "reactions to deleted messages", call: WriteQueries.forgetReactions(rooms, seqs)),
        PlannedCall(
            testDescription: "a superseding reaction",
            call: WriteQueries.hasSupersedingReaction(
                .text("r7"), .int(20), .text("u1"), .text("m1"), .text("+1"))),
        PlannedCall(
            testDescription: "the erased users of a batch",
            call: WriteQueries.erasedUsers(.texts(["u1", "u2", "nobody"]))),
    ]

    private static let searches: [PlannedCall] = [
        PlannedCall(
            testDescription: "a word that every thread has, in one of them",
            call: SearchQueries.search(.text("9"), .text("busy"), .text("r150"), .int(31)), messages: 1),
        PlannedCall(
            testDescription: "a word that every thread has, in those of one user",
            call: SearchQueries.search(.text("9"), .text("busy"), .text(nil), .int(31)), messages: 200),
        PlannedCall(
            testDescription: "the beginning of words that every thread has, in one of them",
            call: SearchQueries.search(.text("15"), .text("busy"), .text("r150"), .int(31)), messages: 1),
        PlannedCall(
            testDescription: "the beginnings of words that every thread has, in those of one user",
            call: SearchQueries.search(.text("te 15"), .text("busy"), .text(nil), .int(31)), messages: 11_310),
    ]

    private static let administration: [PlannedCall] = [
        PlannedCall(
            testDescription: "one thread of a user", call: HistoryQueries.thread(.text("busy"), .text("r150")),
            messages: 2),
        PlannedCall(testDescription: "another title", call: WriteQueries.rename(.text("new"), .text("r150"))),
        PlannedCall(
            testDescription: "rooms to join",
            call: ThreadQueries.joinableRooms(.text("room 11"), .text("busy"), .int(30), now)),
        PlannedCall(testDescription: "members", call: ThreadQueries.members(.text("r7"), .text(""), .int(30))),
        PlannedCall(testDescription: "profiles", call: ThreadQueries.profiles(.texts((1...30).map { "u\($0)" }))),
        PlannedCall(
            testDescription: "the other sessions of a user",
            call: ThreadQueries.revokeSessions(.text("u7"), .text("h6"))),
        PlannedCall(
            testDescription: "the oldest messages of a thread that ends",
            call: ThreadQueries.deleteOldest(big, .int(10)), messages: 20),
    ]
}
