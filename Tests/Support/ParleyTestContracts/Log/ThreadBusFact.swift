import ParleyModel
import ParleyTestSupport
import Testing

/// The contract of `ThreadBus`, as facts that a test target runs one by one:
///
///     @Test("the bus", arguments: ThreadBusFact.allCases)
///     func bus(_ fact: ThreadBusFact) async throws { try await fact.check(MyFixture()) }
package enum ThreadBusFact: String, CaseIterable, Sendable {
    case everySubscriberSeesOneOrder
    case afterTheAcknowledgementEverythingIsReceived
    case topicsAreExact
    case unsubscribedTopicsStop
    case subscribingTwiceIsOneSubscription
    case manyTopicsAtOnce
    case controlEventsReachAllSubscribersOnly
    case ephemeralEventsReachAllSubscribersOnly
    case thePublishingNodeReceivesToo
    case theOriginOfAnEventIsDelivered
    case everyKindOfEventArrivesUnchanged
    case storedIsPublishedForEventsThatRequestIt

    package func check(_ fixture: some LogFixture) async throws {
        try await fixture.whileRunning(storing: true) {
            switch self {
            case .everySubscriberSeesOneOrder: try await oneOrder(fixture)
            case .afterTheAcknowledgementEverythingIsReceived: try await acknowledgement(fixture)
            case .topicsAreExact: try await exactTopics(fixture)
            case .unsubscribedTopicsStop: try await unsubscribe(fixture)
            case .subscribingTwiceIsOneSubscription: try await subscribeTwice(fixture)
            case .manyTopicsAtOnce: try await manyTopics(fixture)
            case .controlEventsReachAllSubscribersOnly: try await control(fixture)
            case .ephemeralEventsReachAllSubscribersOnly: try await ephemerals(fixture)
            case .thePublishingNodeReceivesToo: try await ownSignals(fixture)
            case .theOriginOfAnEventIsDelivered: try await origin(fixture)
            case .everyKindOfEventArrivesUnchanged: try await kinds(fixture)
            case .storedIsPublishedForEventsThatRequestIt: try await stored(fixture)
            }
        }
    }

    private func oneOrder(_ fixture: some LogFixture) async throws {
        let nodes = [try await fixture.makeNode(), try await fixture.makeNode(), try await fixture.makeNode()]
        let threads = [Samples.thread("order-1"), Samples.thread("order-2")]
        for node in nodes { try await node.bus.subscribe(to: threads.map { .thread($0) }) }
        let appenders = 6
        let each = 50
        try await withThrowingTaskGroup(of: Void.self) { group in
            for appender in 0..<appenders {
                let log = nodes[appender % nodes.count].log
                group.addTask {
                    for number in 0..<each {
                        let thread = threads[(appender + number) % 2]
                        _ = try await log.append(Samples.send("\(appender) \(number)", in: thread))
                    }
                }
            }
            try await group.waitForAll()
        }
        var views: [[LogEvent]] = []
        for node in nodes {
            let events = try await node.received.wait(count: appenders * each).compactMap(\.event)
            for thread in threads {
                let seqs = events.filter { $0.thread == thread }.map(\.position.seq)
                try #require(seqs == Array(1...Int64(appenders * each / 2)), "seqs as received")
            }
            views.append(events.filter { $0.thread == threads[0] } + events.filter { $0.thread == threads[1] })
        }
        try #require(views.allSatisfy { $0 == views[0] }, "every node receives the same events")
    }

    private func acknowledgement(_ fixture: some LogFixture) async throws {
        let writer = try await fixture.makeNode()
        let reader = try await fixture.makeNode()
        for number in 1...20 {
            let thread = Samples.thread("ack-\(number)")
            try await reader.bus.subscribe(to: [.thread(thread)])
            let receipt = try await writer.log.append(Samples.send("hi", in: thread))
            try await reader.received.wait("event of \(thread)") { signals in
                signals.contains { $0.event?.thread == thread && $0.event?.position == receipt.position }
            }
        }
    }

    private func exactTopics(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("room.one")
        try await node.bus.subscribe(to: [.thread(thread)])
        for other in ["room", "room.one.events", "Room.one", "room.onee", "room_one"] {
            _ = try await node.log.append(Samples.send("not for you", in: Samples.thread(other)))
        }
        node.bus.publish(.removed(thread), to: UserID(trusted: "room.one"))
        _ = try await node.log.append(Samples.send("for you", in: thread))
        let signals = try await node.received.wait(count: 1)
        try #require(signals.map { $0.event?.thread } == [thread], "topics received")
    }

    private func unsubscribe(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let gone = Samples.thread("gone")
        let kept = Samples.thread("kept")
        try await node.bus.subscribe(to: [.thread(gone), .thread(kept)])
        node.bus.unsubscribe(from: [.thread(gone), .thread(Samples.thread("never-there"))])
        // Calls take effect in order, so once this is acknowledged the other topic is unsubscribed.
        try await node.bus.subscribe(to: [.thread(Samples.thread("later"))])
        _ = try await node.log.append(Samples.send("not for you", in: gone))
        _ = try await node.log.append(Samples.send("for you", in: kept))
        let signals = try await node.received.wait("event of the kept thread") { signals in
            signals.contains { $0.event?.thread == kept }
        }
        try #require(signals.map { $0.event?.thread } == [kept], "threads received")
        try await node.bus.subscribe(to: [.thread(gone)])
        _ = try await node.log.append(Samples.send("for you again", in: gone))
        try await node.received.wait("event after subscribing again") { $0.count == 2 }
    }

    private func subscribeTwice(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let twice = Samples.thread("twice")
        let fence = Samples.thread("fence")
        try await node.bus.subscribe(to: [.thread(twice), .thread(twice)])
        try await node.bus.subscribe(to: [.thread(twice), .thread(fence)])
        _ = try await node.log.append(Samples.send("one", in: twice))
        _ = try await node.log.append(Samples.send("fence", in: fence))
        try await node.received.wait("the fence") { $0.contains { $0.event?.thread == fence } }
        node.bus.unsubscribe(from: [.thread(twice)])
        try await node.bus.subscribe(to: [.thread(Samples.thread("later"))])
        _ = try await node.log.append(Samples.send("two", in: twice))
        _ = try await node.log.append(Samples.send("fence again", in: fence))
        let signals = try await node.received.wait("the second fence") {
            $0.filter { $0.event?.thread == fence }.count == 2
        }
        let texts = signals.filter { $0.event?.thread == twice }.map { $0.event?.message?.text }
        try #require(texts == ["one"], "received of the thread")
    }

    private func manyTopics(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let threads = (0..<1500).map { Samples.thread("many-\($0)") }
        try await node.bus.subscribe(to: threads.map { .thread($0) })
        for thread in [threads[0], threads[749], threads[1499]] {
            _ = try await node.log.append(Samples.send("hi", in: thread))
        }
        try await node.received.wait(count: 3)
    }

    private func control(_ fixture: some LogFixture) async throws {
        let (one, two, other) = (
            try await fixture.makeNode(), try await fixture.makeNode(), try await fixture.makeNode()
        )
        let user = UserID(trusted: "ann")
        let fence = UserID(trusted: "fence")
        let room = ThreadInfo(id: Samples.thread("room"), kind: .room, title: "Room: ünï {1}")
        let direct = ThreadInfo(id: Samples.thread("direct.1"), kind: .direct, title: "")
        let events: [ControlEvent] = [
            .added(Membership(thread: room, role: .owner), after: 7), .removed(room.id),
            .removed(room.id, left: Position(epoch: Epoch("e1"), seq: 1 << 40)),
            .added(Membership(thread: direct, role: .member, peer: Samples.user("bob")), after: 0),
            .sessionRevoked(TokenHash(String(repeating: "0f", count: 32))), .erased,
        ]
        for node in [one, two] { try await node.bus.subscribe(to: [.user(user), .user(fence)]) }
        try await other.bus.subscribe(to: [.user(fence), .thread(Samples.thread("ann"))])
        for event in events { other.bus.publish(event, to: user) }
        let expected = Set(events.map { BusSignal.control($0, user) })
        for node in [one, two] {
            let signals = try await node.received.wait(count: events.count)
            try #require(Set(signals) == expected, "control events received")
        }
        one.bus.publish(.removed(room.id), to: fence)
        let signals = try await other.received.wait(count: 1)
        try #require(signals == [.control(.removed(room.id), fence)], "received without interest in the user")
    }

    private func ephemerals(_ fixture: some LogFixture) async throws {
        let (one, two, other) = (
            try await fixture.makeNode(), try await fixture.makeNode(), try await fixture.makeNode()
        )
        let lobby = Samples.thread("lobby")
        let fence = Samples.thread("fence")
        for node in [one, two] { try await node.bus.subscribe(to: [.thread(lobby), .thread(fence)]) }
        try await other.bus.subscribe(to: [.thread(fence), .user(UserID(trusted: "lobby"))])
        let ephemerals: [EphemeralEvent] = [
            .guestJoined("Zoë"), .guestLeft("Zoë"), .typing(Samples.user("zoe"), isOn: true),
            .typing(Samples.user("zoe"), isOn: false), .read(UserID(trusted: "zoe"), seq: 7, date: 1_700_000_000),
            .stored(seq: 1 << 40, epoch: Epoch("e2")),
        ]
        for event in ephemerals { other.bus.publish(event, in: lobby) }
        for node in [one, two] {
            let signals = try await node.received.wait(count: ephemerals.count)
            try #require(signals == ephemerals.map { .ephemeral($0, lobby) }, "ephemerals received")
        }
        one.bus.publish(.guestJoined("fence"), in: fence)
        let signals = try await other.received.wait(count: 1)
        try #require(signals == [.ephemeral(.guestJoined("fence"), fence)], "received without interest in the thread")
        let head = try await one.log.head(of: lobby)
        try #require(head == nil, "an ephemeral event is not in the log")
    }

    private func ownSignals(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("own")
        let user = UserID(trusted: "ann")
        try await node.bus.subscribe(to: [.thread(thread), .user(user)])
        _ = try await node.log.append(Samples.send("hi", in: thread))
        node.bus.publish(.guestJoined("Zoë"), in: thread)
        node.bus.publish(.removed(thread), to: user)
        try await node.received.wait(count: 3)
    }

    private func origin(_ fixture: some LogFixture) async throws {
        let writer = try await fixture.makeNode()
        let reader = try await fixture.makeNode()
        let thread = Samples.thread("origin")
        try await reader.bus.subscribe(to: [.thread(thread)])
        var draft = Samples.send("hi", in: thread)
        draft.origin = ConnectionID(trusted: "connection-1")
        _ = try await writer.log.append(draft)
        let signals = try await reader.received.wait(count: 1)
        try #require(signals[0].event?.origin == draft.origin, "origin")
        try #require(signals[0].event?.body == draft.body, "body")
    }

    private func kinds(_ fixture: some LogFixture) async throws {
        let writer = try await fixture.makeNode()
        let reader = try await fixture.makeNode()
        let thread = Samples.thread("kinds")
        try await reader.bus.subscribe(to: [.thread(thread)])
        let bodies = Samples.bodies()
        for body in bodies { _ = try await writer.log.append(EventDraft(thread: thread, body: body)) }
        let events = try await reader.received.wait(count: bodies.count).compactMap(\.event)
        try #require(events.map(\.body) == bodies, "received")
        try #require(events.map(\.position.seq) == bodies.indices.map { Int64($0 + 1) }, "seqs")
        try #require(events.map(\.messageCount) == bodies.map { _ in 1 }, "only messages are counted")
        let slice = try await writer.log.events(in: thread, after: 0, limit: 100)
        // A log may redact a message once it has accepted its deletion.
        let redaction = LogRedaction.messages(Set(bodies.compactMap(\.message?.id)))
        let redacted = events.map { redaction.placeholder(for: $0)?.body ?? $0.body }
        let isWhole = slice.events.map(\.body) == bodies
        try #require(slice.events.map(\.body) == (isWhole ? bodies : redacted), "in the log")
    }

    private func stored(_ fixture: some LogFixture) async throws {
        let writer = try await fixture.makeNode()
        let reader = try await fixture.makeNode()
        let thread = Samples.thread("stored")
        try await reader.bus.subscribe(to: [.thread(thread)])
        var places: [Position] = []
        for number in 1...6 {
            var draft = Samples.send("\(number)", in: thread, clientID: number > 4 ? "c\(number)" : nil)
            draft.wantsStored = number.isMultiple(of: 2)
            places.append(try await writer.log.append(draft).position)
        }
        let signals = try await reader.received.wait(count: 9)
        let ephemerals = signals.filter { $0.event == nil }
        let requested = places.filter { $0.seq.isMultiple(of: 2) }
        try #require(
            ephemerals == requested.map { .ephemeral(.stored(seq: $0.seq, epoch: $0.epoch), thread) }, "what is stored")
        let texts = try await fixture.store.events(in: thread, after: 0, limit: 10).events.map { $0.message?.text }
        try #require(texts == (1...6).map { "\($0)" }, "in the store")
    }
}
