package import ParleyModel
import Testing

/// The contract of `NodeRegistry`. Each fact gets the registries of several nodes over a state of its own.
package enum NodeRegistryFact: String, CaseIterable, Sendable {
    case everyNodeHasAnInstanceOfItsOwn
    case aStatusIsVisibleToAllNodes
    case theLatestStatusCounts
    case aNodeThatLeavesIsRemoved
    case requestsAreTakenOnceAndInOrder
    case requestsAreForOneNode
    case theNewestRequestsAreKept
    case repliesBelongToTheirRequest
    case repliesAreKeptForTheRequester
    case everythingArrivesUnchanged

    /// - Parameter registries: those of at least two nodes.
    package func check(_ registries: [any NodeRegistry]) async throws {
        let (one, two) = (registries[0], registries[1])
        switch self {
        case .everyNodeHasAnInstanceOfItsOwn:
            try #require(Set(registries.map(\.instance)).count == registries.count)
        case .aStatusIsVisibleToAllNodes:
            try #require(try await one.nodes() == [])
            try await two.put(Self.status("b", of: two))
            try await one.put(Self.status("a", of: one))
            for nodeRegistry in registries { try #require(try await nodeRegistry.nodes().map(\.name) == ["a", "b"]) }
        case .theLatestStatusCounts:
            for sockets in 1...3 {
                var status = Self.status("a", of: one)
                status.sockets = sockets
                try await one.put(status)
            }
            try #require(try await two.nodes().map(\.sockets) == [3])
        case .aNodeThatLeavesIsRemoved:
            // Two nodes of one name are separate.
            try await one.put(Self.status("a", of: one))
            try await two.put(Self.status("a", of: two))
            try #require(try await one.nodes().count == 2)
            await one.leave()
            try #require(try await one.nodes().map(\.instance) == [two.instance])
            try await one.put(Self.status("a", of: one))
            try #require(try await two.nodes().count == 2)
        case .requestsAreTakenOnceAndInOrder:
            let requests = Self.requests
            for request in requests { try await one.send(request, to: two.instance) }
            try #require(try await two.requests() == requests)
            try #require(try await two.requests() == [])
            // A node may send a request to itself.
            try await two.send(requests[0], to: two.instance)
            try #require(try await two.requests() == [requests[0]])
        case .requestsAreForOneNode:
            try await one.send(NodeRequest(id: "q", .drain), to: two.instance)
            try #require(try await one.requests() == [])
            try #require(try await two.requests().count == 1)
        case .theNewestRequestsAreKept:
            let all = (0..<NodeRegistryLimits.requests + 10).map { NodeRequest(id: "\($0)", .drain) }
            for request in all { try await one.send(request, to: two.instance) }
            try #require(try await two.requests() == Array(all.suffix(NodeRegistryLimits.requests)))
        case .repliesBelongToTheirRequest:
            try await two.reply(NodeReply(request: "1", instance: two.instance, count: 7))
            try #require(try await one.replies(to: "1").map(\.count) == [7])
            try #require(try await one.replies(to: "2") == [])
        case .repliesAreKeptForTheRequester:
            try await one.reply(NodeReply(request: "1", instance: one.instance, count: 1))
            try #require(try await one.replies(to: "1").map(\.count) == [1])
            try await two.reply(NodeReply(request: "1", instance: two.instance, count: 2))
            try #require(try await one.replies(to: "1").map(\.count) == [1, 2])
        case .everythingArrivesUnchanged:
            let status = Self.fullStatus(of: one)
            try await one.put(status)
            try #require(try await two.nodes() == [status])
            let reply = Self.fullReply(of: one)
            try await one.reply(reply)
            try #require(try await two.replies(to: reply.request) == [reply])
        }
    }

    // MARK: Samples

    private static func status(_ name: String, of nodeRegistry: any NodeRegistry) -> NodeStatus {
        NodeStatus(instance: nodeRegistry.instance, name: name, role: "gateway", version: "1.2.3", started: 1, date: 2)
    }

    private static let requests = [
        NodeRequest(
            id: "1", .socketsOfUser(UserID(trusted: "ann"), in: [ThreadID(trusted: "t.1"), ThreadID(trusted: "t-2")])),
        NodeRequest(id: "2", .socketsInThread(ThreadID(trusted: "t"))),
        NodeRequest(id: "3", .closeSockets(UserID(trusted: "ann"))),
        NodeRequest(id: "4", .drain), NodeRequest(id: "5", .history),
    ]

    private static func fullStatus(of nodeRegistry: any NodeRegistry) -> NodeStatus {
        var status = status("a \"name\" \u{1F642}", of: nodeRegistry)
        status.isDraining = true
        (status.sockets, status.lines, status.connections, status.users, status.threads) = (1, 2, 3, 4, 5)
        (status.messagesIn, status.events, status.deliveries, status.stored) = (0.25, 1.5, 1_000_000, 12.34)
        (status.cpu, status.residentBytes) = (1.75, 123_456_789_012)
        status.redis = LinkStatus(problem: nil, milliseconds: 0.31)
        status.database = LinkStatus(problem: "the server closed the connection\n", milliseconds: 1000)
        status.persister = PersisterStatus(partitions: 64, lagEvents: 3, lagSeconds: 0.02)
        status.pushes = [
            .apns: [.delivered: 5, .gone: 4, .retry: 3, .refused: 2, .misconfigured: 1],
            .web: Dictionary(uniqueKeysWithValues: PushResult.allCases.map { ($0, 0) }),
        ]
        status.busiest = [
            ThreadRate(thread: ThreadID(trusted: "t"), eventsPerSecond: 20),
            ThreadRate(thread: ThreadID(trusted: "u"), eventsPerSecond: 0.5),
        ]
        return status
    }

    private static func fullReply(of nodeRegistry: any NodeRegistry) -> NodeReply {
        let position = Position(epoch: Epoch("e"), seq: 12)
        let report = SocketReport(
            connection: "c", user: User(id: UserID(trusted: "ann"), name: "änn"), dialect: "v1", credential: "session",
            address: "192.0.2.1", connected: 1_000, lastSeen: 2_000, waitingBytes: 64,
            places: [
                .init(thread: ThreadID(trusted: "t"), position: position, behind: 7...9),
                .init(thread: ThreadID(trusted: "u"), position: nil, behind: nil),
            ])
        var sample = LoadSample(start: 1_790_000_000_000)
        (sample.connections, sample.messages, sample.deliveries) = (3, 1.25, 2.5)
        (sample.lagEvents, sample.lagSeconds, sample.requests, sample.requestMilliseconds) = (4, 0.5, 6.75, 8.5)
        return NodeReply(
            request: "q", instance: nodeRegistry.instance, sockets: [report], count: 2, follows: true,
            history: [sample])
    }
}
