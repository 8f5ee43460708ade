import ParleyMemory
import ParleyMessaging
import ParleyModel
import ParleySQLite
import Testing

/// A process killed at any of its calls of a store or a log leaves no change half done.
@Suite struct KilledChangeTests {
    enum Change: String, CaseIterable, Sendable {
        case makeRoom, join, leave, add, addModerator, role, remove, rename, hide, ban, erase, delete
        case details, block, invite, accept
    }

    struct Setup {
        let ann: User
        let bob: User
        let cat: User
        let room: ThreadID
    }

    /// Makes the change in some process, and returns its thread.
    private static func perform(_ change: Change, _ setup: Setup, _ messaging: Messaging) async throws {
        let (room, ann, bob, cat) = (setup.room, setup.ann, setup.bob, setup.cat)
        switch change {
        case .makeRoom: _ = try await messaging.join(roomTitled: "Milk", by: Caller(cat))
        case .join: _ = try await messaging.join(roomTitled: "Tea", by: Caller(cat))
        case .leave: _ = try await messaging.leave(room, by: Caller(bob))
        case .add:
            _ = try await messaging.setMember(UserReference(name: cat.name), of: room, role: nil, by: Caller(ann))
        case .addModerator:
            _ = try await messaging.setMember(
                UserReference(name: cat.name), of: room, role: .moderator, by: Caller(ann))
        case .role:
            _ = try await messaging.setMember(UserReference(name: bob.name), of: room, role: .readOnly, by: Caller(ann))
        case .remove: try await messaging.removeMember(UserReference(name: bob.name), from: room, by: Caller(ann))
        case .rename: try await messaging.rename(room, to: "Coffee", by: Caller(ann))
        case .hide: try await messaging.setVisibility(.private, of: room, by: Caller(ann))
        case .ban:
            _ = try await messaging.sanction(
                UserReference(name: bob.name), in: room, SanctionRequest(.ban, seconds: nil, reason: nil),
                by: Caller(ann))
        case .details:
            let update = RoomUpdate(topic: "Green", isArchived: true, slowSeconds: 9, rights: [.add: .everyone])
            try await messaging.setRoom(update, of: room, by: Caller(ann))
        case .block: _ = try await messaging.block(UserReference(name: bob.name), by: Caller(ann))
        case .invite:
            let terms = try EntranceTerms(text: "come", seconds: 600)
            _ = try await messaging.invite(UserReference(name: cat.name), to: room, terms, by: Caller(ann))
        case .accept: try await messaging.acceptInvitation(to: room, by: Caller(cat))
        case .erase: try await messaging.erase(Caller(bob))
        case .delete: try await messaging.deleteThread(room, by: Caller(ann))
        }
    }

    @Test(
        "members and titles agree with the log, each event once, wherever the process was killed",
        arguments: Change.allCases)
    func killed(change: Change) async throws {
        var (call, isOver) = (0, false)
        while !isOver {
            for isAfter in [false, true] {
                let cut = CrashPoint.Cut(call: call, isAfter: isAfter)
                let crashPoint = CrashPoint(cut)
                try await MessagingFixture.run { fixture in
                    let setup = try await Self.setup(fixture)
                    try? await Self.perform(change, setup, fixture.messaging(crashPoint))
                    try await Self.check(fixture, setup, "\(change), \(cut)")
                    // A repeated call succeeds, and the change is made once.
                    try? await Self.perform(change, setup, fixture.messaging())
                    try await Self.check(fixture, setup, "\(change), \(cut), called again")
                    if change == .details {
                        let details = try await fixture.store.details(of: setup.room)
                        #expect(details?.options.topic == "Green" && details?.options.isArchived == true)
                        #expect(details?.options.changes == 1, "\(cut)")
                    }
                    if change == .invite {
                        let found = try await fixture.store.invitations(of: setup.cat.id, at: 0, after: nil, limit: 9)
                        #expect(found.map(\.invitation.text) == ["come"], "\(cut)")
                    }
                    if change == .accept {
                        let found = try await fixture.store.invitations(of: setup.cat.id, at: 0, after: nil, limit: 9)
                        #expect(found.isEmpty, "\(cut)")
                        let members = try await fixture.store.members(of: setup.room, after: nil, limit: 9)
                        #expect(members.contains { $0.user == setup.cat }, "\(cut)")
                    }
                    if change == .block {
                        #expect(try await fixture.store.isBlocked(setup.ann.id, setup.bob.id), "\(cut)")
                    }
                }
                isOver = !crashPoint.hasStruck
            }
            call += 1
            try #require(call < 20)
        }
        // The transaction, the read of the outbox, the append; the first alone if there is no event.
        #expect(call > ([.details, .block, .invite].contains(change) ? 0 : 3))
    }

    private static func setup(_ fixture: MessagingFixture) async throws -> Setup {
        let (ann, bob, cat) = (
            try await fixture.user("ann"), try await fixture.user("bob"), try await fixture.user("cat")
        )
        let messaging = fixture.messaging()
        let room = try await messaging.join(roomTitled: "Tea", by: Caller(ann)).membership.thread.id
        _ = try await messaging.join(roomTitled: "Tea", by: Caller(bob))
        _ = try await messaging.invite(UserReference(name: cat.name), to: room, EntranceTerms(), by: Caller(ann))
        try await fixture.recover()
        return Setup(ann: ann, bob: bob, cat: cat, room: room)
    }

    private static func check(_ fixture: MessagingFixture, _ setup: Setup, _ place: String) async throws {
        try await fixture.recover()
        #expect(try await fixture.outbox().isEmpty, "\(place)")
        let made = try await fixture.store.rooms(titled: ["Milk"])["Milk"]?.id
        for room in [setup.room, made].compactMap({ $0 }) {
            let events = try await fixture.events(in: room)
            #expect(events.map(\.position.seq) == (0..<events.count).map { Int64($0) + 1 }, "\(place)")
            let members = try await fixture.store.members(of: room, after: nil, limit: 100)
            guard let info = try await fixture.store.threads([room])[room] else {
                // Deleted: the log holds nothing of it.
                #expect(try await fixture.memory.events(in: room, after: 0, limit: 10).events.isEmpty, "\(place)")
                #expect(events.isEmpty && members.isEmpty, "\(place)")
                continue
            }
            var folded = FoldedLog(events)
            folded.title = folded.title ?? (room == setup.room ? "Tea" : "Milk")
            folded.visibility = folded.visibility ?? .public
            #expect(folded == FoldedLog(members, info), "\(place)")
            // Every event changes something, so no event is there twice.
            #expect(Set(events.map(\.body)).count == events.count, "\(place)")
        }
    }
}

/// The state that a thread's events add up to: its members, its title and its visibility.
struct FoldedLog: Hashable {
    var roles: [UserID: Membership.Role] = [:]
    var title: String?
    var visibility: RoomVisibility?

    /// - Parameter events: of a room created by the first user who joined.
    init(_ events: [LogEvent]) {
        for (index, event) in events.enumerated() {
            switch event.body {
            case .joined(let user, _): roles[user.id] = index == 0 ? .owner : .member
            case .left(let user, _): roles[user.id] = nil
            case .role(let user, let role, _): roles[user] = role
            case .renamed(let title, _): self.title = title
            case .visibility(let visibility, _): self.visibility = visibility
            case .message, .edited, .deleted, .reaction: break
            }
        }
    }

    /// The state in the tables.
    init(_ members: [Member], _ room: ThreadInfo?) {
        roles = Dictionary(members.map { ($0.user.id, $0.role) }) { first, _ in first }
        title = room?.title
        visibility = room?.visibility
    }
}
