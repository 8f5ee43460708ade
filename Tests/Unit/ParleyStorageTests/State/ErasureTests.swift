import ParleyModel
import ParleyStorage
import Synchronization
import Testing

@Suite struct ErasureTests {
    private let ann = UserID(trusted: "ann")

    private func thread(_ id: String) -> ThreadID { ThreadID(trusted: id) }

    private func sent(_ id: String, in thread: String, clientID: String?, isErased: Bool = false) -> SentMessage {
        SentMessage(
            thread: ThreadID(trusted: thread), seq: 1, id: MessageID(trusted: id), clientID: clientID,
            isErased: isErased)
    }

    @Test("an erasure leaves each thread, and has its log redacted after the departure")
    func first() {
        let memberships = [
            HeldMembership(thread: thread("z"), kind: .room), HeldMembership(thread: thread("d"), kind: .direct),
        ]
        let decision = StateRules.eraseUser(ann, isKnown: true, memberships: memberships, at: 7, by: .command)
        #expect(decision.value)
        #expect(decision.changes == [.eraseUser(ann, at: 7, by: .command), .leave(ann, [thread("z"), thread("d")])])
        #expect(
            decision.outbox == [
                OutboxEntry.Draft(thread: thread("d"), content: .redactUser(ann)),
                OutboxEntry.Draft(thread: thread("z"), content: .append(.left(.erased(ann), by: ann))),
                OutboxEntry.Draft(thread: thread("z"), content: .redactUser(ann)),
            ])
        let unknown = StateRules.eraseUser(ann, isKnown: false, memberships: [], at: 7, by: .user(ann))
        #expect(!unknown.value && unknown.changes.isEmpty && unknown.outbox.isEmpty)
    }

    @Test("the steps come in their order, and each repeats until it finds less than its limit")
    func order() throws {
        let facts = FakeFacts()
        facts.left.withLock { $0 = [.names: ErasureStep.limit + 1, .reactions: 3] }
        var (step, steps) = (ErasureStep?.some(.memberships), [ErasureStep]())
        while let now = step {
            steps.append(now)
            step = try now.decide(for: ann, notified: [], facts).value
        }
        #expect(
            steps == [
                .memberships, .names, .names, .rejects, .named(after: nil), .others(after: nil), .reactions,
                .clientIDs([]), .clientIDs(["c"]),
            ])
    }

    @Test("a log is redacted once: not if an earlier step has told it, nor if the entry is pending")
    func redactions() throws {
        let facts = FakeFacts()
        facts.messages = [
            sent("m1", in: "told", clientID: "c1"), sent("m2", in: "pending", clientID: "c2"),
            sent("m3", in: "new", clientID: "c3"), sent("m4", in: "gone", clientID: "c4", isErased: true),
        ]
        facts.pending = [thread("pending")]
        let decision = try ErasureStep.named(after: nil).decide(for: ann, notified: [thread("told")], facts)
        #expect(decision.outbox == [OutboxEntry.Draft(thread: thread("new"), content: .redactUser(ann))])
        #expect(decision.changes == [.eraseMessages(Array(facts.messages.prefix(3)), of: ann)])
        #expect(decision.value == .others(after: nil))
    }
}

/// Facts of a user with as many rows as a test says.
private final class FakeFacts: StateFacts {
    let left = Mutex<[ErasureStep: Int]>([:])
    private let clientIDs = Mutex(["c"])
    nonisolated(unsafe) var messages: [SentMessage] = []
    nonisolated(unsafe) var pending: Set<ThreadID> = []

    private func take(_ step: ErasureStep, _ limit: Int) -> [ThreadID] {
        left.withLock { left in
            let count = min(left[step] ?? 0, limit)
            left[step]? -= count
            return (0..<count).map { _ in ThreadID(trusted: "t") }
        }
    }

    func members(
        of thread: ThreadID, requester: UserID, subject: UserID?, isSubjectHeld: Bool
    ) throws -> MemberFacts {
        throw StoreError.failed("not part of an erasure")
    }

    func room(_ new: NewRoom, for user: UserID, at milliseconds: Int64) throws -> RoomFacts {
        throw StoreError.failed("not part of an erasure")
    }

    func entrance(
        of thread: ThreadID, requester: UserID, subject: UserID, at now: Int64
    ) throws -> EntranceFacts {
        throw StoreError.failed("not part of an erasure")
    }

    func group(_ thread: ThreadID, by maker: UserID, of users: [UserID]) throws -> GroupFacts {
        throw StoreError.failed("not part of an erasure")
    }

    func picture(_ id: AttachmentID, of owner: UserID) throws -> ParleyModel.Attachment? { nil }

    func deletion(of thread: ThreadID) throws -> DeletionFacts { throw StoreError.failed("not part of an erasure") }
    func details(of thread: ThreadID) throws -> RoomDetails { throw StoreError.failed("not part of an erasure") }
    func links(of thread: ThreadID) throws -> [RoomLink] { throw StoreError.failed("not part of an erasure") }
    func link(_ code: TokenHash, for user: UserID) throws -> LinkFacts? {
        throw StoreError.failed("not part of an erasure")
    }
    func erasure(of user: UserID) throws -> (isKnown: Bool, memberships: [HeldMembership]) { (true, []) }
    func memberships(of user: UserID) throws -> [HeldMembership] { [] }
    func sentMessages(of user: UserID, withClientIDAfter clientID: String?, limit: Int) throws -> [SentMessage] {
        messages
    }
    func sentMessages(of user: UserID, withoutClientIDAfter last: SentMessage?, limit: Int) throws -> [SentMessage] {
        []
    }
    func clientIDs(of user: UserID, limit: Int) throws -> [String] { clientIDs.withLock { $0 } }
    func threads(among threads: [ThreadID], withEntry content: OutboxEntry.Content) throws -> Set<ThreadID> {
        pending.intersection(threads)
    }
    func renameEvents(of user: UserID, to name: String, limit: Int) throws -> [ThreadID] { take(.names, limit) }
    func eraseReactions(of user: UserID, limit: Int) throws -> [ThreadID] { take(.reactions, limit) }
    func forgetClientIDs(_ clientIDs: [String], of user: UserID) throws { self.clientIDs.withLock { $0 = [] } }
}
