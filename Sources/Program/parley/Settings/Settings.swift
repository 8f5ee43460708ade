import Logging
import NIOCore
import ParleyAccounts
import ParleyChannels
import ParleyFanOut
import ParleyGateway
import ParleyMessaging
import ParleyModel
import ParleyPersister
import ParleyPostgres
import ParleyREST
import ParleyRedis

/// All settings, read once at the start; each component receives its own part.
struct Settings: Sendable {
    var host: String
    var port: Int
    var linePort: Int?
    /// The listener of the ops endpoints; `nil`: they are on the main listener.
    var opsListener: (host: String, port: Int)?
    /// The number of event loops, which own the sockets.
    var loops: Int
    var lobbyTitle: String
    var rooms: RoomSettings
    /// The days for which rows of the audit log are kept; 0 for all.
    var auditDays: Int
    var unseenDays: Int
    var database: DatabaseAddress
    var redis: RedisSettings?
    var django: DjangoSite?
    /// For a stream that outlives this process.
    var persister: PersisterSettings
    /// See `ProcessPriority`.
    var persisterNice: Int
    var logLevel: Logger.Level
    /// One message in this many is traced; 0: only those for which a trace is requested.
    var traceEvery: Int
    /// The maximum number of readers of the stream of events.
    var eventFollowers: Int
    var webhooks: WebhookPolicy
    var push: PushSettings
    /// The time after which a message counts as unseen.
    var pushDelay: Duration
    /// The networks that webhooks may connect to although they are not public.
    var webhookNetworks: WebhookNetworks
    var gateway: GatewaySettings
    /// Given by a hidden flag only; see `PlantedFault`.
    var plantedFault: PlantedFault.Order?
    var accounts: AccountSettings
    var cookie: SessionCookie
    var web: WebAppSettings
    /// `nil` if there is nowhere to keep files.
    var attachments: (rules: AttachmentSettings, storage: AttachmentStorage)?

    /// Reads and checks every setting.
    /// - Parameters:
    ///   - needsRedis: whether the process cannot run without Redis.
    ///   - secretFallback: the secret if none is set.
    /// - Throws: all errors together.
    init(
        _ reader: inout SettingsReader, needsRedis: Bool = false,
        secretFallback: (DatabaseAddress) throws(SettingError) -> Secret
    ) throws(SettingErrors) {
        host = reader.text(
            "bind", "127.0.0.1", allowed: "an address of this machine, e.g. 127.0.0.1 or 0.0.0.0",
            "Address of the HTTP and WebSocket listener (`--bind`).", isAllowed: { !$0.isEmpty })
        port = reader.integer("port", 8080, in: 1...65_535, "Port of the HTTP and WebSocket listener (`--port`).")
        let line = reader.integer(
            "line_port", 0, in: 0...65_535, "Port of the TCP line listener (`--line-port`); 0: off.")
        linePort = line == 0 ? nil : line
        opsListener = Self.opsListener(&reader, besides: host)
        loops = reader.integer(
            "loops", 0, in: 0...LoopSet.capacity,
            "Event loops (threads) for sockets; 0: half the processors. Fewer make each delivery cheaper, more carry a higher load."
        )
        if loops == 0 { loops = min(max(1, System.coreCount / 2), LoopSet.capacity) }
        lobbyTitle = reader.text(
            "lobby_title", "lobby", allowed: "1 to 64 characters", "Title of the room that line clients enter.",
            isAllowed: { (1...64).contains($0.unicodeScalars.count) })
        rooms = Self.rooms(&reader)
        auditDays = reader.integer(
            "audit.days", 365, in: 0...36_500, "Days for which rows of the audit log are kept; 0: all are kept.")
        unseenDays = reader.integer(
            "unseen.days", 0, in: 0...365,
            "Days for which events about unseen messages are kept; 0: none are written. The same on all processes.")
        database = Self.database(&reader)
        redis = Self.redis(&reader, isNeeded: needsRedis)
        persister = Self.persister(&reader)
        let storeDelay = reader.integer(
            "persister.delay_ms", 250, in: 0...10_000,
            "Maximum wait of an event for its transaction, in ms; 40 for deletions, erasures and senders that wait for `stored`."
        )
        redis?.log.storeDelay = .milliseconds(storeDelay)
        persisterNice = reader.integer(
            "persister.nice", 5, in: 0...19,
            "Nice value of a persister, so that chat has priority when processor time is short; 0: unchanged.")
        let level = reader.text(
            "log_level", "info", allowed: Logger.Level.allCases.map(\.rawValue).joined(separator: ", "),
            "Lowest level that is logged (`--log-level`).", isAllowed: { Logger.Level(rawValue: $0) != nil })
        logLevel = Logger.Level(rawValue: level) ?? .info
        traceEvery = reader.integer(
            "ops.trace_every", 1024, in: 0...1_000_000_000,
            "One message in this many is traced (`parley admin trace`); 0: only those for which a trace is requested.")
        eventFollowers = reader.integer(
            "events.followers", 16, in: 0...1_000, "Maximum readers of `/v1/admin/events` on one node.")
        push = Self.push(&reader)
        pushDelay = Self.pushDelay(&reader)
        webhooks = Self.webhooks(&reader)
        webhookNetworks = Self.webhookNetworks(&reader)
        django = Self.django(&reader, database)
        let limits = Self.limits(&reader)
        gateway = Self.gateway(&reader, limits)
        redis?.channels.core?.node = gateway.node
        accounts = Self.accounts(&reader, limits, database, django?.sessions, secretFallback)
        rooms.operatorNames = accounts.admins
        redis?.log.secret = Array(accounts.secret.bytes)
        cookie = Self.cookie(&reader, accounts)
        web = Self.web(&reader, accounts)
        web.visibility = rooms.visibility
        attachments = Self.attachments(&reader, besides: database)
        try reader.finish()
    }

    private static func opsListener(
        _ reader: inout SettingsReader, besides host: String
    ) -> (host: String, port: Int)? {
        let opsPort = reader.integer(
            "ops.port", 0, in: 0...65_535,
            "Port of a listener for `/metrics`, `/healthz` and the detailed `/readyz` (`--ops-port`); 0: off."
        )
        let opsHost = reader.optionalText(
            "ops.bind", allowed: "an address of this machine, e.g. 127.0.0.1 or 0.0.0.0",
            standard: "the value of PARLEY_BIND",
            "Address of the ops listener. Only operators and monitoring should reach it.")
        return opsPort == 0 ? nil : (opsHost ?? host, opsPort)
    }

    private static func cookie(_ reader: inout SettingsReader, _ accounts: AccountSettings) -> SessionCookie {
        let secure = reader.text(
            "cookie.secure", "auto", allowed: "auto, true or false",
            "Whether the session cookie is `Secure`; `auto`: if a trusted proxy reports that the request came over HTTPS.",
            isAllowed: { ["auto", "true", "false"].contains($0) })
        return SessionCookie(
            name: accounts.sessionCookie, maxAgeSeconds: accounts.sessionLifetime.components.seconds,
            secure: Bool(secure).map { $0 ? .always : .never } ?? .automatic)
    }

    /// Also for commands that need nothing else.
    static func database(_ reader: inout SettingsReader) -> DatabaseAddress {
        let text = reader.text(
            "database", "sqlite:parley.db", allowed: DatabaseAddress.allowed,
            "Database of messages and accounts (`--database`).", secrecy: .url)
        let address = DatabaseAddress(text)
        if address == nil { reader.rejectValue(of: "database") }
        if let error = address?.directoryError { reader.reject("database", error) }
        let connections = reader.integer(
            "postgres.connections", 8, in: 1...1000, "Maximum PostgreSQL connections of one process.")
        let searches = reader.integer(
            "postgres.searches", 0, in: 0...1000,
            "Maximum searches, exports and long lists at once. 0: half of this machine's processors, a quarter of the connections."
        )
        guard case .postgres(var settings) = address else { return address ?? .sqlite(path: "parley.db") }
        settings.connections = connections
        settings.searches = searches == 0 ? nil : searches
        return .postgres(settings)
    }

    private static func persister(_ reader: inout SettingsReader) -> PersisterSettings {
        var settings = PersisterSettings()
        settings.batchLimit = reader.integer(
            "persister.batch", settings.batchLimit, in: 1...10_000, "Maximum events of one transaction.")
        // Events not stored by then stay in Redis, and other persisters store them.
        settings.drains = false
        return settings
    }

    private static func gateway(_ reader: inout SettingsReader, _ limits: Limits) -> GatewaySettings {
        let node = reader.text(
            "node", "parley", allowed: "1 to 64 characters of A-Z a-z 0-9 . _ -",
            "Name of this node (`--node`).", isAllowed: { $0.count <= 64 && ThreadID($0) != nil })
        var settings = GatewaySettings(node: node)
        settings.limits = limits
        settings.drainWindow = seconds(
            reader.integer(
                "drain_seconds", 10, in: 0...3600, "Maximum drain time after SIGTERM (`--drain-seconds`), in seconds."))
        settings.handshakeTimeout = seconds(
            reader.integer(
                "handshake_seconds", 10, in: 1...60, "Timeout for the head of a connection's first request, in seconds."
            ))
        settings.idleTimeout = seconds(
            reader.integer("idle_seconds", 60, in: 1...3600, "Idle timeout of HTTP connections, in seconds."))
        settings.bodyTimeout = seconds(
            reader.integer(
                "body_seconds", 30, in: 1...3600,
                "Timeout for a request body, in seconds; then 408. An import or an upload may take longer, see `body_bytes_per_second`."
            ))
        settings.streamedBytesPerSecond = reader.integer(
            "body_bytes_per_second", settings.streamedBytesPerSecond, in: 1...1_000_000_000,
            "Minimum rate of an import or an upload, averaged over each PARLEY_BODY_SECONDS.")
        settings.spareConnections = reader.integer(
            "limits.spare_connections", settings.spareConnections, in: 10...10_000_000,
            "Maximum open connections that are not sockets: handshakes and REST.")
        let proxies = reader.optionalText(
            "trusted_proxies", allowed: "comma-separated addresses and networks, e.g. 127.0.0.1,10.0.0.0/8",
            "Peers whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted.")
        settings.trustedProxies = reader.parse("trusted_proxies", or: TrustedProxies()) {
            try TrustedProxies(parsing: proxies ?? "")
        }
        return settings
    }

    private static func seconds(_ count: Int) -> TimeAmount { .seconds(Int64(count)) }
}
