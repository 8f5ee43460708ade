import ParleyJSON
import ParleyMessaging
import ParleyModel

/// Looks up users and threads for operators, with their live sockets on all nodes. Message texts are never included.
struct Inspector: Sendable {
    /// The maximum number of threads listed for a user, by newest activity.
    static let threads = NodeRequest.maximumThreads
    /// The maximum number of sockets listed.
    static let sockets = NodeReply.maximumSockets

    private let services: RESTServices
    private let cluster: Cluster

    init(_ services: RESTServices, _ cluster: Cluster) {
        self.services = services
        self.cluster = cluster
    }

    func show(_ user: User, for requester: Operator) async throws -> JSONTree {
        let found = try await services.messaging.inspect(user, limit: Self.threads, for: requester)
        let threads = found.threads.elements
        let live = await liveSockets(.socketsOfUser(user.id, in: threads.map(\.membership.thread.id)))
        let members: [(String, JSONTree)] = [
            ("user", JSONTree(user, found.profile)), ("threads", .array(threads.map(Self.place))),
            ("has_more_threads", .bool(found.threads.hasMore)), ("is_operator", .bool(found.isOperator)),
            ("suspension", found.suspension.map { Self.json($0) } ?? .null),
        ]
        return .ordered(members + live.members)
    }

    /// - Parameters:
    ///   - user: The user after whom the list of members begins.
    ///   - limit: The maximum number of members.
    func show(
        _ thread: ThreadInfo, membersAfter user: UserID?, limit: Int, for requester: Operator
    ) async throws -> JSONTree {
        let found = try await services.messaging.inspect(thread, membersAfter: user, limit: limit, for: requester)
        let live = await liveSockets(.socketsInThread(thread.id))
        let newest = found.head
        let epoch: JSONTree = newest.map { .text($0.position.epoch.text) } ?? .null
        let date: JSONTree = newest.map { .integer($0.milliseconds) } ?? .null
        let shown: [(String, JSONTree)] = [
            (
                "thread",
                Self.json(
                    thread, try await services.messaging.history(of: thread),
                    try await services.messaging.details(of: thread))
            ), ("epoch", epoch),
            ("seq", .integer(newest?.position.seq ?? 0)),
            ("messages", .integer(newest?.messageCount ?? 0)), ("date_ms", date),
            ("stored_seq", .integer(found.stored?.position.seq ?? 0)),
        ]
        let nodes: [(String, JSONTree)] = [("nodes", .array(live.follows.map { .text($0) }))]
        return .ordered(shown + JSONTree.page(found.members, of: thread.id) + nodes + live.members)
    }

    /// Finds users and rooms like `Messaging.find`.
    func find(_ text: String, limit: Int, for requester: Operator) async throws -> JSONTree {
        let (users, rooms) = try await services.messaging.find(text, limit: limit, for: requester)
        return .ordered([
            ("users", .array(users.map { JSONTree($0) })), ("threads", .array(rooms.map { Self.json($0) })),
        ])
    }

    /// The busiest threads. They have titles if the database is available.
    func busiest(limit: Int, for requester: Operator) async -> JSONTree {
        let rates = ClusterReport(await cluster.nodes()).busiest(limit: limit)
        let known = await services.messaging.known(rates.map(\.rate.thread), for: requester)
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

    static func json(
        _ thread: ThreadInfo, _ history: RoomHistory? = nil, _ details: RoomDetails? = nil
    ) -> JSONTree {
        .ordered(
            [
                ("id", .text(thread.id.text)), ("title", .text(thread.title)), ("kind", .text(thread.kind.rawValue)),
                ("visibility", .text(thread.visibility.rawValue)),
            ] + JSONTree.members(of: history) + JSONTree.members(of: details))
    }

    private static func json(_ suspension: Suspension) -> JSONTree {
        .ordered([
            ("until_ms", suspension.until.map { .integer($0) } ?? .null),
            ("reason", suspension.reason.map { .text($0) } ?? .null),
        ])
    }

    /// A user's state in a thread, without the last message.
    private static func place(_ summary: ThreadSummary) -> JSONTree {
        let thread = summary.membership.thread
        return .ordered([
            ("id", .text(thread.id.text)), ("title", .text(thread.title)), ("kind", .text(thread.kind.rawValue)),
            ("visibility", .text(thread.visibility.rawValue)), ("role", .text(summary.membership.role.rawValue)),
            ("epoch", summary.head.map { .text($0.epoch.text) } ?? .null),
            ("seq", .integer(summary.head?.seq ?? 0)), ("read_seq", .integer(summary.readSeq)),
            ("unread", .integer(summary.unreadCount)), ("activity_ms", .integer(summary.activity)),
        ])
    }
}
