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
    }

    static func run(_ lines: [JSONValue], on rest: HTTPClient) async throws {
        let body = lines.map { $0.text + "\n" }.joined()
        let reply = try await rest.send("POST", "/v1/admin/import", body: Array(body.utf8), within: .seconds(60))
        guard reply.status == 200, try reply.json()["errors"]?.array?.isEmpty == true else {
            throw TestUser.Unexpected(call: "import", reply: reply)
        }
    }
}
