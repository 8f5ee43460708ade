import Logging
import MetricsTestKit
import ParleyMessaging
import ParleyModel
import ParleyPersister
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Synchronization
import Testing

@Suite("Devices are notified", .timeLimit(.minutes(1)))
struct PushServiceTests {
    /// Keeps what is sent.
    private final class Sender: PushSender {
        private let state = Mutex<(sent: [(PushTarget, PushNotification)], outcome: PushOutcome)>(([], .delivered))

        var sent: [(target: PushTarget, notification: PushNotification)] { state.withLock { $0.sent } }

        func answer(_ outcome: PushOutcome) { state.withLock { $0.outcome = outcome } }

        func send(_ notification: PushNotification, to target: PushTarget) async -> PushOutcome {
            state.withLock { state in
                state.sent.append((target, notification))
                return state.outcome
            }
        }

        /// The bodies of the alerts, in their order.
        var bodies: [String] { sent.compactMap { $0.notification.alert?.body } }
        var clears: [PushNotification] { sent.map(\.notification).filter { $0.alert == nil } }
    }

    /// The users who are online.
    private final class Presence: PresenceRegistry {
        let online = Mutex<Set<UserID>>([])

        func connected(_ user: UserID) { online.withLock { _ = $0.insert(user) } }
        func disconnected(_ user: UserID) { online.withLock { _ = $0.remove(user) } }
        func leases() async throws(SharedStoreError) -> Set<String> { [] }

        func states(of users: [UserID]) async throws(SharedStoreError) -> [UserPresence] {
            let online = online.withLock { $0 }
            return users.map { UserPresence(user: $0, isOnline: online.contains($0), lastSeen: nil, stamp: 1) }
        }
    }

    private static let ann = User(id: UserID(trusted: "ann"), name: "ann")
    private static let bob = User(id: UserID(trusted: "bob"), name: "bob")
    private static let room = ThreadID(trusted: "room")

    private let files: TemporaryDirectory
    private let clock = TestClock()
    private let store: SQLiteStore
    private let sender = Sender()
    private let presence = Presence()

    init() async throws {
        files = try TemporaryDirectory()
        store = try SQLiteStore(
            path: files.path + "/parley.db", clock: clock.wall, busyTimeout: .patience, waitLimit: .patience)
        try await store.migrate()
        for user in [Self.ann, Self.bob] { try await store.createUser(user, passwordHash: nil) }
        _ = try await store.importRoom("Tea", id: Self.room, members: [Self.ann, Self.bob])
        try await register("0a", of: Self.bob)
    }

    private func register(_ token: String, of user: User) async throws {
        let address = PushAddress.fcm(token: token)
        let device = NewDevice(
            id: DeviceID(trusted: "d-\(token)"), user: user.id, address: address, digest: address.digest,
            login: .other(credentialsVersion: nil))
        guard case .registered = try await store.registerDevice(device, at: clock.milliseconds) else {
            Issue.record("the device is refused")
            return
        }
    }

    private func write(_ texts: [String], by sender: String = "ann", from seq: Int64) async throws {
        let events = texts.enumerated().map { index, text in
            Samples.event(text, in: Self.room, seq: seq + Int64(index), by: sender, milliseconds: clock.milliseconds)
        }
        _ = try await store.write(Samples.batch(events, firstOffset: Int(seq)))
    }

    /// - Parameters:
    ///   - hasPushes: Whether there is the key of a push service.
    ///   - hasEvents: Whether decisions are events.
    ///   - wall: The clock of the process; that of the database if `nil`.
    private func service(
        hasPushes: Bool = true, hasEvents: Bool = false, delay: Duration = .seconds(5), wall: WallClock? = nil
    ) -> PushService {
        PushService(
            store: store, worker: "p", presence: presence, sender: hasPushes ? sender : nil,
            unseen: hasEvents ? store : nil, delay: delay, clock: wall ?? clock.wall,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, metrics: TestMetrics(),
            sleep: { [clock] duration in
                clock.milliseconds += max(1, Int64(duration / .milliseconds(1)))
                try await Task.sleep(for: .milliseconds(1))
            })
    }

    /// Runs the service until a condition holds, and for a while after it.
    private func run(
        hasPushes: Bool = true, hasEvents: Bool = false, until isEnough: () async throws -> Bool
    ) async throws {
        let service = service(hasPushes: hasPushes, hasEvents: hasEvents)
        let task = Task { try await service.run() }
        let group = try await eventually { try await !store.eventGroups().isEmpty }
        #expect(group)
        let isReached = try await eventually { try await isEnough() }
        #expect(isReached)
        task.cancel()
        _ = try? await task.value
    }

    /// The virtual time after which the service has looked at everything.
    private func passed(_ milliseconds: Int64) -> () async throws -> Bool {
        let end = clock.milliseconds + milliseconds
        return { clock.milliseconds > end }
    }

    @Test("a mention in a room, with the counts of what is unread, and a clearing when it is read elsewhere")
    func mention() async throws {
        try await run(until: passed(1_000))
        try await write(["hello", "@bob come here", "bye"], from: 1)
        try await run { sender.sent.count == 1 }
        let (target, notification) = try #require(sender.sent.first)
        #expect(target == .fcm(try FCMDevice(token: "0a")))
        let alert = try #require(notification.alert)
        #expect(alert.title == "Tea" && alert.body == "ann: @bob come here" && alert.isMention)
        #expect(alert.senderName == "ann" && alert.threadKind == .room)
        #expect(notification.unread == PushNotification.Unread(thread: 3, total: 3))
        #expect(notification.seq == 2)
    }

    @Test("a thread that is read on another device is cleared, once")
    func clear() async throws {
        try await run(until: passed(1_000))
        try await write(["@bob"], from: 1)
        let service = service()
        let task = Task { try await service.run() }
        #expect(try await eventually { sender.sent.count == 1 })
        try await store.markRead(Self.room, by: Self.bob.id, through: 1)
        #expect(try await eventually { sender.clears.count == 1 })
        let end = clock.milliseconds + 20_000
        #expect(try await eventually { clock.milliseconds > end })
        #expect(sender.clears.map(\.unread) == [PushNotification.Unread(thread: 0, total: 0)])
        #expect(sender.sent.count == 2)
        task.cancel()
        _ = try? await task.value
    }

    @Test("nothing for who is online, has read, has no mention, is the sender, or has muted; nor for what is old")
    func silent() async throws {
        try await run(until: passed(1_000))
        presence.connected(Self.bob.id)
        try await write(["@bob online"], from: 1)
        try await run(until: passed(20_000))
        presence.disconnected(Self.bob.id)
        try await write(["no mention"], from: 2)
        try await write(["@bob myself"], by: "bob", from: 3)
        try await write(["@bob read"], from: 4)
        try await store.markRead(Self.room, by: Self.bob.id, through: 4)
        try await run(until: passed(20_000))
        _ = try await store.setThreadNotifications(
            ThreadNotificationUpdate(level: .set(.none)), of: Self.bob.id, in: Self.room, at: clock.milliseconds)
        try await write(["@bob muted"], from: 5)
        try await run(until: passed(20_000))
        _ = try await store.setThreadNotifications(
            ThreadNotificationUpdate(level: .set(.all)), of: Self.bob.id, in: Self.room, at: clock.milliseconds)
        try await write(["too old"], from: 6)
        clock.milliseconds += 90_000_000
        try await run(until: passed(20_000))
        #expect(sender.bodies == [])
        try await write(["now"], from: 7)
        try await run { sender.bodies == ["ann: now"] }
    }

    @Test("the lease is kept while messages are not due, however long the delay is")
    func longDelay() async throws {
        try await run(until: passed(1_000))
        let service = service(delay: .seconds(600))
        let task = Task { try await service.run() }
        try await write(["@bob"], from: 1)
        let other = EventGroupReader(worker: "q")
        for _ in 0..<10 {
            try await pass(50_000)
            let lease = try await store.leaseGroup(
                PushService.group, to: other, for: 1, beginningAt: EventCursor())
            if case .granted = lease { Issue.record("the lease has ended") }
        }
        #expect(try await eventually { sender.bodies == ["ann: @bob"] })
        task.cancel()
        _ = try? await task.value
    }

    @Test("another attempt is not made for a device that has ended")
    func outdated() async throws {
        try await run(until: passed(1_000))
        sender.answer(.retry(after: .seconds(60), reason: "503"))
        let service = service()
        let task = Task { try await service.run() }
        try await write(["@bob one"], from: 1)
        #expect(try await eventually { sender.sent.count == 1 })
        for device in try await store.devices(of: Self.bob.id, at: clock.milliseconds) {
            _ = try await store.deleteDevice(device.id, of: Self.bob.id)
        }
        try await pass(120_000)
        let attempts = sender.sent.count
        try await pass(240_000)
        #expect(sender.sent.count == attempts)
        task.cancel()
        _ = try? await task.value
    }

    @Test("nothing of a user that the recipient blocks; a block in the other direction changes nothing")
    func blocked() async throws {
        try await run(until: passed(1_000))
        _ = try await store.block(Self.ann.id, by: Self.bob.id, at: clock.milliseconds)
        try await write(["@bob blocked"], from: 1)
        try await run(until: passed(20_000))
        #expect(sender.bodies == [])
        _ = try await store.unblock(Self.ann.id, by: Self.bob.id)
        _ = try await store.block(Self.bob.id, by: Self.ann.id, at: clock.milliseconds)
        try await write(["@bob heard"], from: 2)
        try await run { sender.bodies == ["ann: @bob heard"] }
    }

    @Test(
        "a user whose client turns out to be gone is notified, unless they have read, or it was still there after a while"
    )
    func disconnected() async throws {
        try await run(until: passed(1_000))
        let service = service()
        let task = Task { try await service.run() }
        presence.connected(Self.bob.id)
        try await write(["@bob deleted", "@bob are you there?", "no mention"], from: 1)
        try await pass(20_000)
        var deletion = Samples.event("", in: Self.room, seq: 4)
        deletion.body = .deleted(
            MessageDeletion(
                messageID: Samples.event("@bob deleted", in: Self.room, seq: 1).message?.id ?? MessageID(trusted: ""),
                messageSeq: 1, by: Self.ann.id))
        _ = try await store.write(Samples.batch([deletion], firstOffset: 4))
        try await pass(20_000)
        #expect(sender.sent.isEmpty)
        presence.disconnected(Self.bob.id)
        #expect(try await eventually { sender.bodies == ["ann: @bob are you there?"] })

        presence.connected(Self.bob.id)
        try await write(["@bob seen"], from: 5)
        try await pass(120_000)
        try await write(["@bob read"], from: 6)
        try await pass(20_000)
        try await store.markRead(Self.room, by: Self.bob.id, through: 6)
        presence.disconnected(Self.bob.id)
        try await pass(120_000)
        #expect(sender.bodies == ["ann: @bob are you there?"])
        task.cancel()
        _ = try? await task.value
    }

    @Test("in a room that is never silent, old messages to a connected user do not notify later; new ones do")
    func busyRoom() async throws {
        try await run(until: passed(1_000))
        let service = service()
        let task = Task { try await service.run() }
        presence.connected(Self.bob.id)
        try await write(["@bob long ago"], from: 1)
        for seq in 2...12 {
            try await pass(20_000)
            try await write(["no mention"], from: Int64(seq))
        }
        presence.disconnected(Self.bob.id)
        try await pass(30_000)
        #expect(sender.sent.isEmpty)
        presence.connected(Self.bob.id)
        try await write(["@bob now"], from: 13)
        try await pass(20_000)
        presence.disconnected(Self.bob.id)
        #expect(try await eventually { sender.bodies == ["ann: @bob now"] })
        task.cancel()
        _ = try? await task.value
    }

    /// Waits for virtual time, which passes while the service waits.
    private func pass(_ milliseconds: Int64) async throws {
        let isOver = passed(milliseconds)
        #expect(try await eventually { try await isOver() })
    }

    @Test("a dead device is removed, and a push that may succeed later is sent again, at most three times")
    func outcomes() async throws {
        try await run(until: passed(1_000))
        sender.answer(.retry(after: .seconds(3), reason: "503"))
        try await write(["@bob"], from: 1)
        try await run { sender.sent.count == 3 }
        try await run(until: passed(100_000))
        #expect(sender.sent.count == 3)
        sender.answer(.gone(since: nil))
        try await write(["@bob again"], from: 2)
        try await run { try await store.devices(of: Self.bob.id, at: clock.milliseconds).isEmpty }
        #expect(sender.sent.count == 4)
    }

    /// The decisions that are events, in their order.
    private func unseen() async throws -> [UnseenMessage] {
        let page = try #require(try await store.events(after: .start, EventQuery(kinds: [], rows: [.unseen])))
        return page.entries.compactMap { if case .unseen(let message) = $0 { message } else { nil } }
    }

    @Test("without a device and without a push service, a decision is an event, also in quiet hours, but not if muted")
    func events() async throws {
        try await run(hasPushes: false, hasEvents: true, until: passed(1_000))
        try await write(["hello", "@ann I am here"], by: "bob", from: 1)
        try await run(hasPushes: false, hasEvents: true) { try await unseen().count == 1 }
        let first = try #require(try await unseen().first)
        #expect(first.id.feedID == "unseen:ann:room:old:2")
        #expect(first.unread == 2 && first.unreadTotal == 2 && first.isMention && !first.isQuiet)

        let always = try #require(QuietHours(from: 0, to: 1_439, timeZone: "UTC"))
        _ = try await store.setNotifications(NotificationUpdate(quiet: .set(always)), of: Self.bob.id)
        try await write(["no mention", "@bob at night"], from: 3)
        try await run(hasEvents: true) { try await unseen().count == 2 }
        let second = try #require(try await unseen().last)
        #expect(second.id.feedID == "unseen:bob:room:old:4" && second.isQuiet && sender.sent.isEmpty)

        _ = try await store.setThreadNotifications(
            ThreadNotificationUpdate(level: .set(.none)), of: Self.bob.id, in: Self.room, at: clock.milliseconds)
        try await write(["@bob muted"], from: 5)
        try await run(hasEvents: true, until: passed(20_000))
        #expect(try await unseen().count == 2)
    }

    @Test("a process that is killed loses no event about a client that turns out to be gone, and notifies once")
    func killed() async throws {
        try await run(hasEvents: true, until: passed(1_000))
        try await write(["@bob you are away"], from: 1)
        try await run(hasEvents: true) { sender.bodies.count == 1 }
        presence.connected(Self.bob.id)
        try await write(["@bob are you there?"], from: 2)
        // This process knows that the message is uncertain, and ends.
        try await run(hasEvents: true, until: passed(20_000))
        presence.disconnected(Self.bob.id)
        try await run(hasEvents: true) { sender.bodies.count == 2 }
        try await run(hasEvents: true, until: passed(20_000))
        #expect(sender.bodies == ["ann: @bob you are away", "ann: @bob are you there?"])
        #expect(try await unseen().map(\.id.position.seq) == [1, 2])
    }

    @Test(
        "a clock that is set back does not keep the lease of the group from being extended", arguments: [false, true])
    func clockSetBack(hasEvents: Bool) async throws {
        let process = OffsetClock(clock)
        let service = service(hasEvents: hasEvents, wall: process.wall)
        let task = Task { try await service.run() }
        #expect(try await eventually { try await !store.eventGroups().isEmpty })
        process.setBack(by: .seconds(864_000))
        try await pass(60_000)
        #expect(try await store.eventGroups().first?.untilMilliseconds ?? 0 > clock.milliseconds)
        try await write(["@bob"], from: 1)
        #expect(try await eventually { sender.sent.count == 1 })
        task.cancel()
        _ = try? await task.value
    }

    @Test("a name is mentioned as a word, in any case")
    func words() {
        for text in ["@bob", "hi @Bob!", "(@BOB)", "a @bob, b"] {
            #expect(UserMention.isIn(text, of: "bob"), "\(text)")
        }
        for text in ["bob", "@bobby", "ann@bob", "@bob_", "@ bob", ""] {
            #expect(!UserMention.isIn(text, of: "bob"), "\(text)")
        }
        #expect(UserMention.isIn("@ann.lee it", of: "ann.lee") && !UserMention.isIn("@", of: ""))
    }
}
