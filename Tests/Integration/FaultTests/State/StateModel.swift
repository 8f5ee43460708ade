import ParleyTestSupport
import Synchronization

/// Rooms and users of a crash test, and what its workers know of them.
///
/// What is known is owned by a mutex; each pair of user and room belongs to one worker, so nobody overtakes anybody.
final class StateModel: Sendable {
    /// The state of a pair as a worker knows it: the last response, unless a change without a response followed.
    enum Known: Hashable, Sendable {
        case member, stranger, unknown
    }

    struct Pair: Hashable, Sendable {
        var thread: String
        var user: String
    }

    private struct State {
        var known: [Pair: Known] = [:]
        /// Whether a user has an invitation; a pair that is missing is unknown.
        var invited: [Pair: Bool] = [:]
        /// Likewise whether a user blocks another.
        var blocks: [StateFacts.Block: Bool] = [:]
        /// The users of each direct thread.
        var directs: [String: Set<String>] = [:]
        var erased: Set<String> = []
        /// Users whose erasure was not answered: nothing is known of them.
        var doubtful: Set<String> = []
        var voidSessions: [String] = []
        var operations: [String: Int] = [:]
    }

    static let boss = "boss"
    let rooms: [String]
    let users: [String]
    private let state = Mutex(State())

    init(rooms: Int, users: Int) {
        self.rooms = (0..<rooms).map { "room\($0)" }
        self.users = (0..<users).map { "user\($0)" }
        state.withLock { state in
            for (thread, members) in imported {
                for user in members.keys { state.known[Pair(thread: thread, user: user)] = .member }
            }
        }
    }

    /// Who is a member before the first event: every second user, and the boss, who owns all rooms and never leaves.
    var imported: [String: [String: String]] {
        var members: [String: [String: String]] = [:]
        for (number, room) in rooms.enumerated() {
            members[room] = [Self.boss: "owner"]
            for (index, user) in users.enumerated() where (index + number) % 2 == 0 { members[room]?[user] = "member" }
        }
        return members
    }

    static func title(of room: String) -> String { "Room \(room)" }
    /// The visibility of imported rooms.
    static let visibility = "public"

    // MARK: Reports of workers

    func know(_ pair: Pair, _ known: Known) { state.withLock { $0.known[pair] = known } }
    /// - Parameter isInvited: `nil` if a change was not answered.
    func knowInvitation(_ pair: Pair, _ isInvited: Bool?) { state.withLock { $0.invited[pair] = isInvited } }
    /// - Parameter isMade: `nil` if a change was not answered.
    func knowBlock(of other: String, by user: String, _ isMade: Bool?) {
        state.withLock { $0.blocks[StateFacts.Block(user: user, other: other)] = isMade }
    }
    func erased(_ user: String, isAnswered: Bool) {
        state.withLock { state in
            if isAnswered { _ = state.erased.insert(user) } else { _ = state.doubtful.insert(user) }
        }
    }
    func ended(session: String) { state.withLock { $0.voidSessions.append(session) } }
    func count(_ operation: String, isAnswered: Bool) {
        state.withLock { $0.operations["\(operation)\(isAnswered ? "" : " unanswered")", default: 0] += 1 }
    }

    // MARK: What is known at the end

    var operations: [String: Int] { state.withLock { $0.operations } }
    var erased: Set<String> { state.withLock { $0.erased } }
    var voidSessions: [String] { state.withLock { $0.voidSessions } }
    /// Users who are neither erased nor perhaps so.
    var living: [String] {
        state.withLock { state in users.filter { !state.erased.contains($0) && !state.doubtful.contains($0) } }
    }

    var answered: [StateFacts.Answered] {
        state.withLock { state in
            state.known.compactMap { pair, known in
                guard known != .unknown, !state.doubtful.contains(pair.user) else { return nil }
                let isMember = known == .member && !state.erased.contains(pair.user)
                return StateFacts.Answered(thread: pair.thread, user: pair.user, isMember: isMember)
            }
        }
    }

    var answeredInvitations: [StateFacts.Answered] {
        state.withLock { state in
            state.invited.compactMap { pair, isInvited in
                guard !state.doubtful.contains(pair.user) else { return nil }
                let remains = isInvited && !state.erased.contains(pair.user)
                return StateFacts.Answered(thread: pair.thread, user: pair.user, isMember: remains)
            }
        }
    }

    var answeredBlocks: [StateFacts.Block: Bool] {
        state.withLock { state in
            state.blocks.filter { block, _ in
                !state.doubtful.contains(block.user) && !state.doubtful.contains(block.other)
            }.reduce(into: [:]) { blocks, known in
                let remains = !state.erased.contains(known.key.user) && !state.erased.contains(known.key.other)
                blocks[known.key] = known.value && remains
            }
        }
    }

    /// The direct threads whose users are neither erased nor perhaps so.
    var directs: [String: Set<String>] {
        let living = Set(living)
        return state.withLock { $0.directs.filter { $0.value.isSubset(of: living) } }
    }

    // MARK: Setting up

    /// Makes users, rooms and members by an import, which writes no events.
    func create(on cluster: Cluster) async throws {
        var lines: [JSONValue] = ([Self.boss] + users).map {
            ["user": ["id": .string($0), "username": .string($0), "password": "correct horse"]]
        }
        for (room, members) in imported {
            lines.append([
                "thread": [
                    "id": .string(room), "title": .string(Self.title(of: room)), "visibility": .string(Self.visibility),
                ]
            ])
            for (user, role) in members {
                lines.append(["member": ["thread": .string(room), "user": .string(user), "role": .string(role)]])
            }
        }
        try await Self.run(lines, on: cluster.rest())
        // Of users who belong to the same worker; the watchers are among them.
        for (user, other) in zip(users.prefix(Self.directCount), users.dropFirst(Self.directCount)) {
            let opened = try await cluster.rest(as: user).post("/v1/direct", json: ["user": .string(other)])
            guard let thread = try opened.json()["id"]?.string else {
                throw TestUser.Unexpected(call: "direct", reply: opened)
            }
            // Makes the other user a member.
            let sent = try await cluster.rest(as: user).post("/v1/threads/\(thread)/messages", json: ["text": "hi"])
            guard sent.status == 201 else { throw TestUser.Unexpected(call: "send", reply: sent) }
            state.withLock { $0.directs[thread] = [user, other] }
        }
    }

    /// The number of direct threads, which is the number of workers.
    static let directCount = 4

    static func run(_ lines: [JSONValue], on rest: HTTPClient) async throws {
        let body = lines.map { $0.text + "\n" }.joined()
        let reply = try await rest.send("POST", "/v1/admin/import", body: Array(body.utf8), within: .seconds(60))
        guard reply.status == 200, try reply.json()["errors"]?.array?.isEmpty == true else {
            throw TestUser.Unexpected(call: "import", reply: reply)
        }
    }
}
