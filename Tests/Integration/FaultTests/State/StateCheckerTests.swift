import Testing

/// The checker sees each kind of fault, and nothing in a sound one.
@Suite("The checker of state changes")
struct StateCheckerTests {
    private static func event(_ seq: Int, _ change: StateFacts.Event.Change) -> StateFacts.Event {
        StateFacts.Event(seq: seq, epoch: "e", change: change)
    }

    /// Ann was imported; bob joined, became read_only, cid joined and left, and the room has another title and visibility.
    private static var sound: StateFacts {
        let log = [
            event(1, .joined(user: "bob")), event(2, .role(user: "bob", "read_only")), event(3, .other),
            event(4, .joined(user: "cid")), event(5, .renamed(title: "New")), event(6, .left(user: "cid")),
            event(7, .visibility("private")),
        ]
        var facts = StateFacts()
        facts.threads["r"] = StateFacts.Thread(
            imported: ["ann": "owner"], importedTitle: "Old", log: log, window: Array(log.suffix(4)),
            members: ["ann": "owner", "bob": "read_only"], title: "New", visibility: "private")
        facts.threads["r"]?.invited = ["cid"]
        facts.threads["g"] = StateFacts.Thread(
            imported: [:], importedTitle: "", importedVisibility: "private",
            log: [event(1, .joined(user: "bob")), event(2, .joined(user: "cid"))], window: [],
            members: ["bob": "owner", "cid": "member"], title: "", visibility: "private", isGroup: true)
        facts.directs["d"] = StateFacts.Direct(users: ["ann", "bob"], isBlocked: true)
        facts.blocks = [StateFacts.Block(user: "ann", other: "bob")]
        facts.answeredBlocks = [
            StateFacts.Block(user: "ann", other: "bob"): true, StateFacts.Block(user: "bob", other: "ann"): false,
        ]
        facts.answeredInvitations = [
            StateFacts.Answered(thread: "r", user: "cid", isMember: true),
            StateFacts.Answered(thread: "r", user: "bob", isMember: false),
        ]
        facts.sockets = [
            StateFacts.Socket(user: "ann", isOld: true, rights: ["r": .write, "g": .hidden, "d": .read]),
            StateFacts.Socket(user: "bob", isOld: true, rights: ["r": .read, "g": .write, "d": .read]),
            StateFacts.Socket(user: "cid", isOld: false, rights: ["r": .hidden, "g": .write, "d": .hidden]),
        ]
        facts.answered = [
            StateFacts.Answered(thread: "r", user: "bob", isMember: true),
            StateFacts.Answered(thread: "r", user: "cid", isMember: false),
        ]
        return facts
    }

    @Test("a sound state has no violation")
    func soundFixture() {
        #expect(StateChecker.check(Self.sound) == [])
    }

    /// Each plants one fault, and names what the checker must find first.
    private static let faults:
        [(name: String, plant: @Sendable (inout StateFacts) -> Void, found: @Sendable (StateChecker.Violation) -> Bool)] =
            [
                (
                    "a join that the log lacks", { $0.threads["r"]?.log.remove(at: 0) },
                    { $0 == .impossibleChange(thread: "r", seq: 2) }
                ),
                (
                    "a membership that ended in the log only", { $0.threads["r"]?.members["cid"] = "member" },
                    { $0 == .members(thread: "r", user: "cid", log: nil, table: "member") }
                ),
                (
                    "a role that only the table has", { $0.threads["r"]?.members["bob"] = "member" },
                    { $0 == .members(thread: "r", user: "bob", log: "read_only", table: "member") }
                ),
                (
                    "a leave that stands in the log twice",
                    { $0.threads["r"]?.log.append(Self.event(8, .left(user: "cid"))) },
                    { $0 == .impossibleChange(thread: "r", seq: 8) }
                ),
                (
                    "a join that stands in the log twice",
                    { $0.threads["r"]?.log.append(Self.event(8, .joined(user: "bob"))) },
                    { $0 == .impossibleChange(thread: "r", seq: 8) }
                ),
                (
                    "a title that the log does not know", { $0.threads["r"]?.title = "Newer" },
                    { $0 == .title(thread: "r", log: "New", table: "Newer") }
                ),
                (
                    "a visibility that the log does not know", { $0.threads["r"]?.visibility = "unlisted" },
                    { $0 == .visibility(thread: "r", log: "private", table: "unlisted") }
                ),
                (
                    "a private room that a stranger's socket knows", { $0.sockets[2].rights["r"] = .some(.none) },
                    { $0 == .rights(user: "cid", thread: "r", isOld: false, has: .none, table: .hidden) }
                ),
                (
                    "a seq that nothing has", { $0.threads["r"]?.log.remove(at: 2) },
                    { $0 == .seqs(thread: "r", seq: 4) }
                ),
                (
                    "another event in Redis", { $0.threads["r"]?.window[0].change = .joined(user: "dan") },
                    { $0 == .window(thread: "r", seq: 4) }
                ),
                (
                    "a socket that kept a right", { $0.sockets[1].rights["r"] = .write },
                    { $0 == .rights(user: "bob", thread: "r", isOld: true, has: .write, table: .read) }
                ),
                (
                    "a mute that a socket does not know", { $0.threads["r"]?.mutes = ["ann", "cid"] },
                    { $0 == .rights(user: "ann", thread: "r", isOld: true, has: .write, table: .read) }
                ),
                (
                    "a newcomer's socket that sees nothing",
                    { $0.sockets.append(StateFacts.Socket(user: "bob", isOld: false, rights: ["r": .none])) },
                    { $0 == .rights(user: "bob", thread: "r", isOld: false, has: .none, table: .read) }
                ),
                (
                    "an answered leave that is forgotten",
                    { $0.answered.append(StateFacts.Answered(thread: "r", user: "ann", isMember: false)) },
                    { $0 == .forgotten(StateFacts.Answered(thread: "r", user: "ann", isMember: false)) }
                ),
                (
                    "a member of a group who is forgotten with it",
                    { facts in
                        facts.threads["g"] = nil
                        facts.answered.append(StateFacts.Answered(thread: "g", user: "bob", isMember: true))
                    },
                    { $0 == .forgotten(StateFacts.Answered(thread: "g", user: "bob", isMember: true)) }
                ),
                (
                    "an answered invitation that is forgotten", { $0.threads["r"]?.invited = [] },
                    { $0 == .forgottenInvitation(StateFacts.Answered(thread: "r", user: "cid", isMember: true)) }
                ),
                (
                    "an invitation that outlives the joining", { $0.threads["r"]?.invited = ["bob", "cid"] },
                    { $0 == .invitedMember(thread: "r", user: "bob") }
                ),
                (
                    "an answered block that is forgotten", { $0.blocks = [] },
                    { $0 == .forgottenBlock(StateFacts.Block(user: "ann", other: "bob"), isMade: true) }
                ),
                (
                    "a block that a socket does not know", { $0.sockets[0].rights["d"] = .write },
                    { $0 == .rights(user: "ann", thread: "d", isOld: true, has: .write, table: .read) }
                ),
                (
                    "a deleted thread that is there", { $0.deletedButThere = ["q"] }, { $0 == .deletedButThere("q") }
                ),
                ("a session that outlives its end", { $0.voidButTaken = ["s"] }, { $0 == .voidButTaken("s") }),
                ("an entry that nobody relays", { $0.outbox = 1 }, { $0 == .outbox(1) }),
            ]

    @Test("a planted fault is found", arguments: 0..<StateCheckerTests.faults.count)
    func planted(_ index: Int) throws {
        let fault = Self.faults[index]
        var facts = Self.sound
        fault.plant(&facts)
        let found = StateChecker.check(facts)
        #expect(found.contains(where: fault.found), "\(fault.name): \(found)")
    }
}
