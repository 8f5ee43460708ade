import Logging
import MetricsTestKit
import NIOCore
import NIOPosix
import ParleyFanOut
import ParleyMemory
import ParleyModel
import ParleyTestContracts
import ParleyWire
import Synchronization

/// A watch over a fan-out with two loops, without sockets of the network.
struct ChangeWatchFixture: Sendable {
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)

    let feed = TestFeed()
    let sessions = TestSessions()
    let bus: any ThreadBus
    let fanOut: FanOut
    let watch: ChangeWatch
    private let log: MemoryLog
    private let work = WorkPool()

    private init(interval: Duration) async throws {
        let broker = MemoryBroker()
        bus = broker.makeBus()
        log = MemoryLog(
            bus: broker, history: NaiveStore(), settings: MemoryLogSettings(acceptance: .immediately))
        let loops = Self.group.makeIterator().map { $0 as any EventLoop }
        fanOut = FanOut(
            loops: loops, bus: bus, log: log, work: work, metrics: FanOutMetrics(factory: TestMetrics()))
        let watch = ChangeWatch(
            feed: feed, fanOut: fanOut, isAlive: { [sessions] in try await sessions.isAlive($0, of: $1) },
            isKey: { [feed] in try await feed.apiKeys([$0])[$0] != nil },
            profiles: { [feed] in try feed.profiles(of: $0) },
            interval: interval, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        self.watch = watch
        try await fanOut.start(
            linger: .seconds(1), timeout: [], observer: { watch.received($0) }, resubscribed: { watch.pollSoon() },
            reloadUser: { watch.recheck($0, isUrgent: $1) })
        watch.listen()
    }

    /// Runs `body` with a watch that has polled once.
    static func run(
        interval: Duration = .seconds(2), _ body: (ChangeWatchFixture) async throws -> Void
    ) async throws {
        let fixture = try await ChangeWatchFixture(interval: interval)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await fixture.log.run() }
            group.addTask { await fixture.work.run() }
            defer { group.cancelAll() }
            await fixture.watch.round()
            try await body(fixture)
        }
    }

    static func room(_ name: String, _ role: Membership.Role = .member, mute: Sanction? = nil) -> Membership {
        Membership(thread: ThreadInfo(id: ThreadID(trusted: name), kind: .room, title: name), role: role, mute: mute)
    }

    static func direct(_ user: User, _ peer: User) -> Membership {
        Membership(
            thread: ThreadInfo(id: ThreadInfo.directID(user.id, peer.id), kind: .direct, title: peer.name),
            role: .member, peer: peer)
    }

    static func user(_ name: String) -> User {
        User(id: UserID(trusted: "id-\(name)"), name: name)
    }

    /// Makes a user known to the store, without a word of the feed.
    func add(_ user: User, _ memberships: Membership...) {
        feed.change(user, memberships, isTold: false)
    }

    /// A socket of a user, in the way of a handshake.
    @discardableResult
    func socket(
        _ user: User, loop: Int = 0, dialect: Dialect = .line, token: TokenHash? = nil, version: Int64? = nil,
        apiKey: TokenHash? = nil
    ) async throws -> WatchedSocket {
        try await admit(user, loop: loop)
        return try await register(
            user, loop: loop, dialect: dialect, token: token, version: version, apiKey: apiKey)
    }

    @discardableResult
    func admit(_ user: User, loop: Int = 0) async throws -> UserSnapshot {
        try await fanOut.admit(user, on: loop, encoding: Encoding(dialect: .line)) { [feed] id in
            try await feed.snapshots(of: [id])[id]
        }
    }

    func register(
        _ user: User, loop: Int = 0, dialect: Dialect = .line, token: TokenHash? = nil, version: Int64? = nil,
        apiKey: TokenHash? = nil
    ) async throws -> WatchedSocket {
        let watched = WatchedSocket(fanOut: fanOut, loop: loop, user: user.id)
        try await fanOut.loops[loop].submit { [fanOut] in
            let socket = StubSocket(watched, dialect, token, version, apiKey)
            socket.local = fanOut.roster(loop).register(socket, of: user.id)
            precondition(socket.local != nil, "an admitted user can be registered")
        }.get()
        return watched
    }

    /// Waits until the fan-out has done what it was given to do.
    func settle() async throws {
        for loop in fanOut.loops + fanOut.loops { try await loop.submit {}.get() }
    }
}

/// What becomes of a socket; readable from everywhere.
final class WatchedSocket: Sendable {
    let fanOut: FanOut
    let loop: Int
    let user: UserID
    private let closed = Atomic<Bool>(false)
    private let shown = Mutex<[String]>([])
    private let told = Mutex<[Sanction?]>([])
    private let suspended = Mutex<[Suspension]>([])
    private let changed = Mutex<[String]>([])
    private let blocked = Mutex<[UserBlocks]>([])

    init(fanOut: FanOut, loop: Int, user: UserID) {
        self.fanOut = fanOut
        self.loop = loop
        self.user = user
    }

    /// Whether it was sent off as void.
    var isClosed: Bool { closed.load(ordering: .relaxed) }

    /// The users whose names and profiles the socket was sent, as JSON.
    var profiles: [String] { shown.withLock { $0 } }

    /// The mutes that the socket was told of, in order.
    var mutes: [Sanction?] { told.withLock { $0 } }

    /// The display name for the messages of the user.
    func displayName() async throws -> String? {
        try await fanOut.loops[loop].submit { [self] in
            (fanOut.roster(loop).sockets(of: user).first?.socket as? StubSocket)?.local?.displayName
        }.get()
    }

    fileprivate func show(_ frame: SharedFrame) {
        guard var bytes = frame.bytes(for: Encoding(dialect: .v1)) else { return }
        // The payload follows the header of the WebSocket frame.
        bytes.moveReaderIndex(forwardBy: 2)
        shown.withLock { $0.append(String(buffer: bytes)) }
    }

    /// The suspensions that the socket was told of, in order.
    var suspensions: [Suspension] { suspended.withLock { $0 } }

    fileprivate func suspend(_ suspension: Suspension) { suspended.withLock { $0.append(suspension) } }

    /// The topics that the socket was told of, in order; `blocked` for a direct thread that is.
    var topics: [String] { changed.withLock { $0 } }

    /// The blocks that the socket was told of, in order.
    var blocks: [UserBlocks] { blocked.withLock { $0 } }

    fileprivate func tell(_ options: RoomOptions, isBlocked: Bool) {
        changed.withLock { $0.append(isBlocked ? "blocked" : options.topic ?? "none") }
    }

    fileprivate func tell(_ blocks: UserBlocks) { blocked.withLock { $0.append(blocks) } }

    fileprivate func tell(_ mute: Sanction?) { told.withLock { $0.append(mute) } }

    fileprivate func close() { closed.store(true, ordering: .relaxed) }

    /// What the user is in, as sends are checked against it.
    func roles() async throws -> [String: Membership.Role] {
        try await fanOut.loops[loop].submit { [self] () -> [String: Membership.Role] in
            guard let socket = fanOut.roster(loop).sockets(of: user).first?.socket as? StubSocket else { return [:] }
            let memberships = socket.local?.memberships.all ?? []
            return Dictionary(uniqueKeysWithValues: memberships.map { ($0.thread.id.text, $0.role) })
        }.get()
    }
}

/// Bound to its event loop.
private final class StubSocket: RosterMember {
    let connection = ConnectionID(trusted: "stub")
    let encoding: Encoding
    let sessionToken: TokenHash?
    let credentialsVersion: Int64?
    let apiKey: TokenHash?
    var local: LocalUser?
    private let watched: WatchedSocket

    init(
        _ watched: WatchedSocket, _ dialect: Dialect, _ token: TokenHash?, _ version: Int64?, _ apiKey: TokenHash?
    ) {
        self.watched = watched
        encoding = Encoding(dialect: dialect)
        sessionToken = token
        credentialsVersion = version
        self.apiKey = apiKey
    }

    func sessionRevoked() {
        watched.close()
        guard let local else { return }
        self.local = nil
        watched.fanOut.roster(watched.loop).unregister(self, of: local)
    }

    func suspended(_ suspension: Suspension) { watched.suspend(suspension) }

    func deliver(_ frames: FrameBatch, in thread: ThreadID) {}
    func flush() {}
    func memberAdded(_ membership: Membership, after end: Position?) {}
    func muteChanged(_ membership: Membership) { watched.tell(membership.mute) }
    func roomChanged(_ membership: Membership) { watched.tell(membership.options, isBlocked: membership.isBlocked) }
    func blocksChanged(_ blocks: UserBlocks) { watched.tell(blocks) }
    func memberRemoved(_ membership: Membership) {}
    func membershipsChanged() {}
    func stored(_ thread: ThreadID, seq: Int64, epoch: Epoch) {}
    func renumbered(_ thread: ThreadID, _ renumbering: Renumbering) {}
    func lostTrack(of thread: ThreadID) {}
    func profileChanged(of user: UserID, _ frame: SharedFrame) { watched.show(frame) }
}
