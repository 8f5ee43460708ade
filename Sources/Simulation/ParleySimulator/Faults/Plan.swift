/// Everything that a seed decides before a simulation begins. A plan with fewer faults and commands is a smaller form of
/// the same simulation.
package struct Plan: Sendable {
    /// A command of a user.
    package struct Command: Hashable, Sendable {
        package enum Kind: String, CaseIterable, Sendable {
            case send, sendStored, read, edit, delete, react, reconnect, rename
            /// A command about a room that the user is not in.
            case knock
            /// A node changes the visibility of a room; the user has no part in it.
            case visibility
            /// A node mutes the user in a room, or ends the mute.
            case mute
            /// A node suspends the user, or ends the suspension.
            case suspend
            /// A node bans the user from a room, or ends the ban.
            case ban
            /// A node changes the rights, the slow mode or the archive of a room; the user has no part in it.
            case rights
            /// The user makes a group.
            case group
            /// Invitations, requests and links by which users enter rooms.
            case invite, request, link
            /// The user opens a direct thread, or blocks its other user, or ends that.
            case block
        }

        package var at: Int64
        package var user: Int
        package var kind: Kind
        /// Chooses the thread, the message and so on.
        package var choice: UInt64
    }

    package var seed: UInt64
    package var gateways = 2
    package var persisters = 2
    package var users = 12
    package var rooms = 3
    /// `appendfsync always` instead of `everysec`.
    package var syncsAlways = false
    package var holdsUpOnceIn = 0
    package var lateOnceIn = 0
    /// The largest error of a node's clock, in nanoseconds.
    package var skew: Int64 = 0
    /// The time between two reads of the ingest streams, in milliseconds. Mostly a second, as an idle persister does nothing
    /// else, and a second takes a simulation less time than the quarter of the standard setting.
    package var storesEvery = 250
    /// When the faults begin, and the last has ended.
    package var calm: Int64 = 5_000_000_000
    package var end: Int64 = 65_000_000_000
    package var faults: [Fault] = []
    package var commands: [Command] = []

    package var gatewayNames: [String] { (1...gateways).map { "gateway-\($0)" } }
    package var persisterNames: [String] { (1...persisters).map { "persister-\($0)" } }
}

extension Plan {
    /// Draws which features and faults a seed uses (swarm testing), then the faults and commands.
    package init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed, purpose: 5)
        self.init(seed: seed, users: 8 + generator.below(13), rooms: 1 + generator.below(4))
        syncsAlways = generator.once(in: 3)
        holdsUpOnceIn = generator.element(of: [0, 0, 400, 100, 30]) ?? 0
        lateOnceIn = generator.element(of: [0, 0, 200, 50]) ?? 0
        skew = generator.element(of: [0, 0, 3_000_000_000, 600_000_000_000]) ?? 0
        var settings = SeededGenerator(seed: seed, purpose: 12)
        storesEvery = settings.element(of: [250, 1000, 1000, 1000]) ?? storesEvery
        faults = Self.faults(from: calm, to: end, plan: self, using: &generator)
        commands = Self.commands(from: calm / 2, to: end, plan: self, using: &generator)
    }

    private static func faults(
        from begin: Int64, to end: Int64, plan: Plan, using generator: inout SeededGenerator
    ) -> [Fault] {
        // About half of the kinds are used by a seed.
        let makers = allMakers.filter { _ in generator.once(in: 2) }
        guard !makers.isEmpty else { return [] }
        var faults: [Fault] = []
        for _ in 0..<(5 + generator.below(6)) {
            let maker = makers[generator.below(makers.count)]
            let lasts =
                generator.once(in: 4)
                ? generator.within(5_000_000_000...15_000_000_000)
                : generator.within(10_000_000...5_000_000_000)
            let at = generator.within(begin...(end - lasts))
            faults.append(Fault(kind: maker(plan, &generator), at: at, lasts: lasts))
        }
        return faults.sorted { $0.at < $1.at }
    }

    private typealias Maker = @Sendable (Plan, inout SeededGenerator) -> Fault.Kind

    private static func node(_ plan: Plan, _ generator: inout SeededGenerator) -> String {
        generator.element(of: plan.gatewayNames + plan.persisterNames) ?? ""
    }

    private static func gateway(_ plan: Plan, _ generator: inout SeededGenerator) -> String {
        generator.element(of: plan.gatewayNames) ?? ""
    }

    /// To add a fault, add its kind to `Fault.Kind`, its maker here, and what it does to `World.begin` and `World.end`.
    private static let allMakers: [Maker] = [
        { .kill(node: node($0, &$1)) },
        { .crash(node: node($0, &$1)) },
        { .pause(node: node($0, &$1)) },
        { .cutRedis(node: node($0, &$1)) },
        { plan, generator in
            let toServer = generator.once(in: 2)
            return .muteRedis(
                node: node(plan, &generator), toServer: toServer, toNode: !toServer || generator.once(in: 2))
        },
        { .lossyBus(node: gateway($0, &$1), onceIn: $1.element(of: [2, 5, 20]) ?? 5) },
        { .muteDatabase(node: node($0, &$1)) },
        { _, _ in .killRedis },
        { _, _ in .powerFailure },
        { _, _ in .emptyRedis },
        { .olderRedis(by: $1.within(100_000_000...20_000_000_000)) },
        { _, _ in .databaseAway },
        { _, _ in .databaseRestarts },
        { _, _ in .databaseSlow },
        { .databaseUnreliable(onceIn: $1.element(of: [2, 5, 20]) ?? 5) },
        { .cutUsers(node: gateway($0, &$1)) },
        { .freezeUsers(node: gateway($0, &$1)) },
    ]

    private static func commands(
        from begin: Int64, to end: Int64, plan: Plan, using generator: inout SeededGenerator
    ) -> [Command] {
        // Sends are always used, each of the others by half of the seeds.
        let kinds: [Command.Kind] =
            [.send, .send, .sendStored]
            + Command.Kind.allCases.filter { kind in
                kind != .send && !rightsKinds.contains { $0.kind == kind } && generator.once(in: 2)
            }
        let count = 100 + generator.below(200)
        let drawn = (0..<count).map { _ in
            Command(
                at: generator.within(begin...end), user: generator.below(plan.users),
                kind: kinds[generator.below(kinds.count)], choice: generator.next())
        }
        let times = begin...end
        let others = rightsKinds.flatMap { kind, most, purpose in
            changes(kind, atMost: most, purpose: purpose, at: times, plan: plan)
        }
        return (drawn + others).sorted { $0.at < $1.at }
    }

    /// The kinds of changes of rights, with the most commands of a seed, and the purpose of their generator.
    private static let rightsKinds: [(kind: Command.Kind, most: Int, purpose: UInt64)] = [
        (.mute, 20, 8), (.suspend, 6, 9), (.ban, 8, 13), (.rights, 8, 14), (.group, 3, 15), (.invite, 24, 16),
        (.request, 24, 17), (.link, 24, 18), (.block, 24, 19),
    ]

    /// Draws commands of a kind from a generator of their own, so that the other commands of a seed do not depend on them.
    private static func changes(
        _ kind: Command.Kind, atMost count: Int, purpose: UInt64, at times: ClosedRange<Int64>, plan: Plan
    ) -> [Command] {
        var generator = SeededGenerator(seed: plan.seed, purpose: purpose)
        guard generator.once(in: 2) else { return [] }
        return (0..<(1 + generator.below(count))).map { _ in
            Command(
                at: generator.within(times), user: generator.below(plan.users), kind: kind, choice: generator.next())
        }
    }

    private init(seed: UInt64, users: Int, rooms: Int) {
        self.seed = seed
        self.users = users
        self.rooms = rooms
    }
}

extension Plan {
    /// The plan in words, one line for each fault and command.
    package var script: String {
        var lines = [
            "seed \(seed), \(users) users, \(rooms) rooms"
                + (syncsAlways ? ", appendfsync always" : "")
                + (holdsUpOnceIn > 0 ? ", held up once in \(holdsUpOnceIn)" : "")
                + (lateOnceIn > 0 ? ", late once in \(lateOnceIn)" : "")
                + (skew > 0 ? ", clocks \(skew / 1_000_000) ms off" : "")
                + ", stored every \(storesEvery) ms"
        ]
        let steps =
            faults.map { ($0.at, "fault \($0)") }
            + commands.map { ($0.at, "\($0.at / 1_000_000) ms: user-\($0.user + 1) \($0.kind.rawValue)") }
        lines += steps.sorted { $0.0 < $1.0 }.map(\.1)
        return lines.joined(separator: "\n")
    }
}
