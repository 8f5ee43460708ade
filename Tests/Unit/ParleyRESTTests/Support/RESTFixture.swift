import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Metrics
import NIOCore
import ParleyAccounts
import ParleyBlobs
import ParleyMemory
import ParleyMessaging
import ParleyMetrics
import ParleyModel
import ParleyPersister
import ParleyREST
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Synchronization
import Testing

/// The HTTP listener on the embedded adapters, called without sockets. The log accepts at once; `persist` stores.
final class RESTFixture: Sendable {
    struct Options: Sendable {
        var rooms = RoomSettings()
        var settings: AccountSettings
        var cookie = SessionCookie()
        var proxies = TrustedProxies()
        var web = WebAppSettings()
        /// The OpenID provider of `settings.oidc`.
        var provider: (any ProviderRequests)?
        var readiness = ReadinessReport()
        /// Whether operators have a separate listener.
        var hasOpsListener = false
        /// The reply of this node to an operator's request.
        var reply: @Sendable (NodeRequest, _ instance: String) -> NodeReply = {
            NodeReply(request: $0.id, instance: $1)
        }
        /// What users may upload; `nil` for nothing.
        var attachments: AttachmentSettings? = AttachmentSettings()
        /// How long nodes may take to reply to an operator.
        var timeout = Duration.seconds(5)
        var limits = Limits()
        /// The budgets that all nodes share; `nil` for none.
        var rates: (any RateStore)?
        /// The clock of the budgets, in microseconds.
        var uptime: @Sendable () -> Int64 = { Int64(clamping: NIODeadline.now().uptimeNanoseconds / 1000) }
        /// Called with the text of each statement of the store.
        var trace: (@Sendable (String) -> Void)?
        /// The store that routes read from, made of the real one.
        var reading: @Sendable (SQLiteStore) -> any MessageStore = { $0 }
    }

    let clock = TestClock()
    let store: SQLiteStore
    let broker = MemoryBroker()
    /// The shared node registry; `nodeRegistry` is this node's view of it.
    let nodes: MemoryNodes
    let nodeRegistry: MemoryNodeRegistry
    let memory: MemoryLog
    let log: FlakyLog
    let registry = PrometheusRegistry()
    let lines = LogLines()
    let services: RESTServices
    let relay: OutboxRelay
    let traces = MemoryTraceStore()
    /// Where uploaded files are.
    let folder: String
    let sweeper: AttachmentSweeper
    /// The signals received by another node on its topics.
    let node: MemoryBus
    let heard = Signals()
    private let workers: PasswordWorkers
    private let responder: RouterResponder<RESTContext>
    private let opsResponder: RouterResponder<RESTContext>

    /// Creates a fixture on an empty database, runs the test in it, and removes it.
    static func run(
        _ change: (inout Options) throws -> Void = { _ in }, _ test: (RESTFixture) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "parley-rest-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var settings = AccountSettings(secret: Secret(text: "a secret of these tests, 32 bytes or more"))
        settings.passwordIterations = 1
        settings.passwordWorkers = 1
        var options = Options(settings: settings)
        try change(&options)
        let fixture = try await RESTFixture(options, path: folder.appending(path: "test.db").path)
        let log = fixture.memory
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await log.run() }
            defer { group.cancelAll() }
            try await test(fixture)
        }
        await fixture.workers.shutDown()
        try await fixture.store.close()
    }

    private init(_ options: Options, path: String) async throws {
        store = try SQLiteStore(
            path: path, clock: clock.wall, busyTimeout: .patience, waitLimit: .patience, trace: options.trace)
        try await store.migrate()
        nodes = MemoryNodes(clock: clock.wall)
        let nodeRegistry = nodes.makeRegistry()
        self.nodeRegistry = nodeRegistry
        let own = NodeStatus(
            instance: nodeRegistry.instance, name: "own", role: "serve", version: "1.2.3", started: 1, date: 2)
        let bus = broker.makeBus()
        node = broker.makeBus()
        memory = MemoryLog(
            bus: broker, history: store, clock: clock.wall, settings: MemoryLogSettings(acceptance: .immediately))
        log = FlakyLog(memory)
        let directory = BatchedDirectory(
            store, apiKeys: options.settings.apiKeys, clock: clock.wall, pause: { _ in await Task.yield() })
        let accounts = try await AccountServices(
            settings: options.settings, accounts: store, directory: directory,
            ticketStore: MemoryTicketStore(clock: clock.wall), oidcRequests: options.provider,
            clock: clock.wall, logger: lines.logger)
        workers = accounts.workers
        let registry = registry
        let (readiness, reply) = (options.readiness, options.reply)
        relay = OutboxRelay(
            outbox: store, history: store, log: log, clock: clock.wall, logger: lines.logger)
        let reading = options.reading(store)
        folder = path + ".files"
        let blobs = try FolderBlobStore(path: folder)
        let uses = UnstoredUses(store: store, messages: store, log: log, sends: memory)
        sweeper = AttachmentSweeper(
            store: store, blobs: blobs, uses: uses, clock: clock.wall, logger: lines.logger)
        services = RESTServices(
            settings: RESTSettings(
                origins: options.settings.origins, cookie: options.cookie, trustedProxies: options.proxies,
                web: options.web),
            messaging: Messaging(
                MessagingPorts(
                    log: log, bus: bus, store: reading, state: store, accounts: store, directory: directory,
                    readMarks: IgnoredReadMarks(), attachments: store, traces: traces, events: store,
                    notifications: store),
                budgets: Budgets(
                    BudgetSettings(
                        limits: options.limits, rates: options.rates, uptime: options.uptime, submit: { _ in false })),
                relay: relay, hash: accounts.login.hash,
                attachments: options.attachments.map { [clock, store, lines] settings in
                    Attachments(
                        settings: settings, store: store, blobs: blobs, uses: uses, clock: clock.wall,
                        logger: lines.logger)
                }, rooms: options.rooms, clock: clock.wall, logger: lines.logger),
            auth: accounts,
            ops: OpsServices(
                readiness: { readiness }, metricsText: { registry.text() }, version: "1.2.3",
                hasOwnListener: options.hasOpsListener),
            admin: AdminServices(
                nodeRegistry: nodeRegistry, status: { own }, reply: { reply($0, nodeRegistry.instance) },
                admins: options.settings.admins, timeout: options.timeout),
            clock: clock.wall)
        responder = makeRouter(services, metrics: registry).buildResponder()
        opsResponder = makeOpsRouter(services.ops, clock: clock.wall, metrics: registry).buildResponder()
        bus.attach { _ in }
        node.attach { [heard] in heard.append($0) }
    }

    /// Sends a request to the operators' listener.
    func ask(_ path: String) async throws -> Reply {
        let head = HTTPRequest(method: .get, scheme: "http", authority: "chat.example", path: path)
        let response = try await opsResponder.respond(
            to: Request(head: head, body: RequestBody(buffer: ByteBuffer())),
            context: RESTContext(peer: "192.0.2.1", logger: lines.logger))
        return try await Reply(response)
    }

    /// Sends a request. `Content-Length` is set unless `isChunked`.
    func send(
        _ method: HTTPRequest.Method, _ path: String, headers: [(String, String)] = [], body: [UInt8] = [],
        isChunked: Bool = false, peer: String? = "192.0.2.1"
    ) async throws -> Reply {
        var fields = HTTPFields()
        for (name, value) in headers {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        if !body.isEmpty, !isChunked, fields[.contentLength] == nil { fields[.contentLength] = String(body.count) }
        return try await send(method, path, fields, RequestBody(buffer: ByteBuffer(bytes: body)), peer: peer)
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ fields: HTTPFields, _ body: RequestBody,
        peer: String? = "192.0.2.1"
    ) async throws -> Reply {
        let head = HTTPRequest(
            method: method, scheme: "http", authority: "chat.example", path: path, headerFields: fields)
        let response = try await responder.respond(
            to: Request(head: head, body: body), context: RESTContext(peer: peer, logger: lines.logger))
        return try await Reply(response)
    }

    /// A form of these fields, percent-encoded.
    func post(
        _ path: String, form: KeyValuePairs<String, String>, headers: [(String, String)] = [],
        peer: String? = "192.0.2.1"
    ) async throws -> Reply {
        let pairs = form.map { "\(Self.encoded($0))=\(Self.encoded($1))" }
        return try await send(
            .post, path, headers: headers + [("Content-Type", "application/x-www-form-urlencoded")],
            body: Array(pairs.joined(separator: "&").utf8), peer: peer)
    }

    func post(_ path: String, json: String, headers: [(String, String)] = []) async throws -> Reply {
        try await send(
            .post, path, headers: headers + [("Content-Type", "application/json")], body: Array(json.utf8))
    }

    /// Sends a body in these pieces.
    func post(_ path: String, pieces: [[UInt8]], headers: [(String, String)] = []) async throws -> Reply {
        var fields = HTTPFields()
        for (name, value) in headers {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        let buffers = AsyncStream { continuation in
            for piece in pieces { continuation.yield(ByteBuffer(bytes: piece)) }
            continuation.finish()
        }
        return try await send(.post, path, fields, RequestBody(asyncSequence: buffers))
    }

    static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// A new user, logged in by cookie.
    func sessionUser(_ name: String) async throws -> SessionUser {
        let reply = try await post("/auth/signup", form: ["username": name, "password": "correct horse"])
        try #require(reply.status == 200, "\(reply.text)")
        let id = try #require((reply.object["id"] as? String).flatMap { UserID($0) })
        return SessionUser(fixture: self, user: User(id: id, name: name), session: try #require(reply.session))
    }

    /// Appends a message to the log.
    @discardableResult
    func say(
        _ text: String, by user: User, in thread: ThreadID, id: String? = nil, clientID: String? = nil,
        to recipient: User? = nil
    ) async throws -> Receipt {
        let id = id.map { MessageID(trusted: $0) } ?? MessageID(UUIDv7(clock.wall))
        let message = Message(id: id, sender: user, text: text, clientID: clientID, recipient: recipient)
        return try await memory.append(EventDraft(thread: thread, body: .message(message)))
    }

    /// Stores everything that the log has accepted.
    func persist() async throws {
        for partition in memory.partitions {
            while try await memory.backlog(of: partition) > 0 {
                let batch = try await memory.read(
                    partition, after: try await store.checkpoint(of: partition), limit: 1000)
                await memory.stored(batch, outcomes: try await store.write(batch))
            }
        }
    }

    /// What persisters do when an event was not relayed in time.
    func recover() async throws {
        clock.advance(milliseconds: 2000)
        _ = try await relay.relayOverdue(age: 1500, timeout: .seconds(5))
        try await persist()
    }

    /// The `joined` events of a thread.
    func joins(in thread: ThreadID) async throws -> [User] {
        try await memory.events(in: thread, after: 0, limit: 1000).events.compactMap { event in
            if case .joined(let user, _) = event.body { user } else { nil }
        }
    }
}

/// The bus signals received by a node.
final class Signals: Sendable {
    private let signals = Mutex<[BusSignal]>([])

    var all: [BusSignal] { signals.withLock { $0 } }

    /// The control events of a user.
    func control(of user: UserID) -> [ControlEvent] {
        all.compactMap { if case .control(let event, user) = $0 { event } else { nil } }
    }

    func append(_ signal: BusSignal) {
        signals.withLock { $0.append(signal) }
    }
}
