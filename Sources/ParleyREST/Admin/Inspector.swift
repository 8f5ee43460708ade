import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// Looks up users and threads for operators, with their live sockets on all nodes. Message texts are never included.
struct Inspector: Sendable {
    /// Maximum number of a user's threads, by newest activity.
    static let threads = NodeRequest.maximumThreads
    /// Maximum number of sockets.
    static let sockets = NodeReply.maximumSockets

    private let services: RESTServices
    private let cluster: Cluster

    init(_ services: RESTServices, _ cluster: Cluster) {
        self.services = services
        self.cluster = cluster
    }

    func show(_ user: User) async throws -> JSONTree {
        let profile = try await services.ports.accounts.profiles(of: [user.id])[user.id]
        var threads = try await services.ports.store.threads(of: user.id, after: nil, limit: Self.threads + 1)
        let hasMore = threads.count > Self.threads
        if hasMore { threads.removeLast() }
        let live = await liveSockets(.socketsOfUser(user.id, in: threads.map(\.membership.thread.id)))
        let members: [(String, JSONTree)] = [
            ("user", JSONTree(user, profile)), ("threads", .array(threads.map(Self.place))),
            ("has_more_threads", .bool(hasMore)),
        ]
        return .ordered(members + live.members)
    }

    /// - Parameters:
    ///   - user: lists the members after this one.
    ///   - limit: maximum number of members.
    func show(_ thread: ThreadInfo, membersAfter user: UserID?, limit: Int) async throws -> JSONTree {
        // The heads in Redis are newer than the stored ones, which are used while Redis is unavailable.
        let head = try? await services.ports.log.head(of: thread.id)
        let stored = try await services.ports.store.head(of: thread.id)
        var members = try await services.ports.accounts.members(of: thread.id, after: user, limit: limit + 1)
        let hasMore = members.count > limit
        if hasMore { members.removeLast() }
        let live = await liveSockets(.socketsInThread(thread.id))
        let newest = head ?? stored
        let epoch: JSONTree = newest.map { .text($0.position.epoch.text) } ?? .null
        let date: JSONTree = newest.map { .integer($0.milliseconds) } ?? .null
        let cursor: JSONTree = hasMore ? members.last.map { .text($0.user.id.text) } ?? .null : .null
        let shown: [(String, JSONTree)] = [
            ("thread", Self.json(thread)), ("epoch", epoch), ("seq", .integer(newest?.position.seq ?? 0)),
            ("messages", .integer(newest?.messageCount ?? 0)), ("date_ms", date),
            ("stored_seq", .integer(stored?.position.seq ?? 0)),
            ("members", .array(members.map { JSONTree($0, of: thread.id) })), ("next_cursor", cursor),
            ("nodes", .array(live.follows.map { .text($0) })),
        ]
        return .ordered(shown + live.members)
    }

    /// Users and rooms with this id, or whose name begins with the text. `id:…` and `name:…` find users only by one of
    /// the two.
    /// - Parameter limit: maximum number of each.
    func find(_ text: String, limit: Int) async throws -> JSONTree {
        let reference = services.ports.directory.reference(text)
        // Listed by either, each with its id and name, so that nobody is mistaken for another.
        let isBare = !text.contains(":")
        let prefix = isBare ? text : reference.name
        var users: [User] = []
        if let prefix { users = try await services.ports.accounts.users(prefix: prefix, limit: limit) }
        if let id = reference.id, let user = try await services.ports.directory.user(id) {
            users.removeAll { $0 == user }
            users.insert(user, at: 0)
        }
        var rooms = try await services.ports.accounts.threads(prefix: text, limit: limit)
        if let id = ThreadID(text), let thread = try await services.ports.directory.thread(id), !rooms.contains(thread)
        {
            rooms.insert(thread, at: 0)
        }
        return .ordered([
            ("users", .array(users.prefix(limit).map { JSONTree($0) })),
            ("threads", .array(rooms.prefix(limit).map(Self.json))),
        ])
    }

    /// The busiest threads, with their titles if the database is available.
    func busiest(limit: Int) async -> JSONTree {
        let (rates, directory) = (ClusterReport(await cluster.nodes()).busiest(limit: limit), services.ports.directory)
        // Concurrently, so that they share one query.
        let known = await withTaskGroup(of: ThreadInfo?.self) { group in
            for (rate, _) in rates { group.addTask { try? await directory.thread(rate.thread) } }
            return await group.reduce(into: [ThreadID: ThreadInfo]()) { known, info in
                if let info { known[info.id] = info }
            }
        }
        return .array(
            rates.map { rate, nodes in
                let info = known[rate.thread]
                return .ordered([
                    ("id", .text(rate.thread.text)), ("title", info.map { .text($0.title) } ?? .null),
                    ("kind", info.map { .text($0.kind.rawValue) } ?? .null),
                    ("events_per_second", .rounded(rate.eventsPerSecond)),
                    ("nodes", .array(nodes.map { .text($0) })),
                ])
            })
    }

    // MARK: Sockets

    private struct LiveSockets {
        var members: [(String, JSONTree)]
        /// The names of the nodes subscribed to the thread.
        var follows: [String]
    }

    private func liveSockets(_ nodeRequest: NodeRequest.Content) async -> LiveSockets {
        let (nodes, _) = await cluster.nodes()
        let (replies, silent) = await cluster.send(nodeRequest, to: nodes.filter(\.hasSockets))
        let names = Dictionary(nodes.map { ($0.instance, $0.name) }) { first, _ in first }
        var sockets: [JSONTree] = []
        for reply in replies {
            let node = JSONTree.Member("node", .text(names[reply.instance] ?? reply.instance))
            for socket in reply.sockets { sockets.append(.object([node] + socket.members)) }
        }
        return LiveSockets(
            members: [
                ("sockets", .array(Array(sockets.prefix(Self.sockets)))),
                ("socket_count", .integer(Int64(replies.reduce(0) { $0 + $1.count }))),
                ("silent_nodes", .array(silent.map { .text($0.name) })),
            ], follows: replies.filter(\.follows).compactMap { names[$0.instance] }.sorted())
    }

    // MARK: JSON

    static func json(_ thread: ThreadInfo) -> JSONTree {
        .ordered([
            ("id", .text(thread.id.text)), ("title", .text(thread.title)), ("kind", .text(thread.kind.rawValue)),
        ])
    }

    /// A user's state in a thread, without its last message.
    private static func place(_ summary: ThreadSummary) -> JSONTree {
        let thread = summary.membership.thread
        return .ordered([
            ("id", .text(thread.id.text)), ("title", .text(thread.title)), ("kind", .text(thread.kind.rawValue)),
            ("role", .text(summary.membership.role.rawValue)),
            ("epoch", summary.head.map { .text($0.epoch.text) } ?? .null),
            ("seq", .integer(summary.head?.seq ?? 0)), ("read_seq", .integer(summary.readSeq)),
            ("unread", .integer(summary.unreadCount)), ("activity_ms", .integer(summary.activity)),
        ])
    }
}
