import Logging
import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyGateway
import ParleyModel
import ParleyPersister
import ParleyPostgres
import ParleyREST
import ParleyRedis

/// Everything that can be set, read once at the start; each part of the program gets its own piece of it.
struct Settings: Sendable {
    var host: String
    var port: Int
    var linePort: Int?
    /// Where operators ask; `nil`: where everybody does.
    var opsListener: (host: String, port: Int)?
    /// Threads on which sockets live.
    var loops: Int
    var lobbyTitle: String
    var database: DatabaseAddress
    var redis: RedisSettings?
    var django: DjangoSite?
    /// For a stream that outlives this process.
    var persister: PersisterSettings
    var logLevel: Logger.Level
    /// One message of so many is traced; 0: only those for which it is asked.
    var traceEvery: Int
    var gateway: GatewaySettings
    /// Given by a hidden flag only; see `PlantedFault`.
    var plantedFault: PlantedFault.Order?
    var accounts: AccountSettings
    var cookie: SessionCookie

    /// Reads and checks every setting.
    /// - Parameter secretFallback: what to use when no `secret` is set.
    init(
        _ reader: inout SettingsReader, secretFallback: (DatabaseAddress) throws(SettingError) -> Secret
    ) throws(SettingError) {
        host = try reader.text(
            "bind", "127.0.0.1", allowed: "an address of this machine, e.g. 127.0.0.1 or 0.0.0.0",
            "Where the HTTP and WebSocket door listens (`--bind`).", isAllowed: { !$0.isEmpty })
        port = try reader.integer("port", 8080, in: 1...65_535, "The port of that door (`--port`).")
        let line = try reader.integer(
            "line_port", 0, in: 0...65_535, "The port of the TCP line door (`--line-port`); 0: no such door.")
        linePort = line == 0 ? nil : line
        let opsPort = try reader.integer(
            "ops.port", 0, in: 0...65_535,
            "The port of a listener of its own for `/metrics`, `/healthz` and `/readyz` with its reasons (`--ops-port`); 0: no such listener, and `/metrics` is on the port of all."
        )
        let opsHost = try reader.optionalText(
            "ops.bind", allowed: "an address of this machine, e.g. 127.0.0.1 or 0.0.0.0",
            standard: "the value of PARLEY_BIND",
            "Where that listener listens. Only operators and their programs should reach it.")
        opsListener = opsPort == 0 ? nil : (opsHost ?? host, opsPort)
        loops = try reader.integer(
            "loops", 0, in: 0...LoopSet.capacity,
            "Event loops (threads) that sockets live on; 0: half of the processors. Fewer cost less for each delivery, more carry more."
        )
        if loops == 0 { loops = min(max(1, System.coreCount / 2), LoopSet.capacity) }
        lobbyTitle = try reader.text(
            "lobby_title", "lobby", allowed: "1 to 64 characters", "The room that the line door leads to.",
            isAllowed: { (1...64).contains($0.unicodeScalars.count) })
        database = try Self.database(&reader)
        redis = try Self.redis(&reader)
        persister = try Self.persister(&reader)
        let level = try reader.text(
            "log_level", "info", allowed: Logger.Level.allCases.map(\.rawValue).joined(separator: ", "),
            "What is logged (`--log-level`).", isAllowed: { Logger.Level(rawValue: $0) != nil })
        logLevel = Logger.Level(rawValue: level) ?? .info
        traceEvery = try reader.integer(
            "ops.trace_every", 1024, in: 0...1_000_000_000,
            "One message of so many is traced (`parley admin trace`); 0: only those for which it is asked.")
        django = try Self.django(&reader, database)
        let limits = try Self.limits(&reader)
        gateway = try Self.gateway(&reader, limits)
        accounts = try Self.accounts(&reader, limits, database, django?.sessions, secretFallback)
        redis?.log.secret = Array(accounts.secret.bytes)
        let secure = try reader.text(
            "cookie.secure", "auto", allowed: "auto, true or false",
            "Whether the session cookie is Secure; `auto`: when a trusted proxy says the request came by HTTPS.",
            isAllowed: { ["auto", "true", "false"].contains($0) })
        cookie = SessionCookie(
            name: accounts.sessionCookie, maxAgeSeconds: accounts.sessionLifetime.components.seconds,
            secure: Bool(secure).map { $0 ? .always : .never } ?? .automatic)
    }

    /// Also for commands that need nothing else.
    static func database(_ reader: inout SettingsReader) throws(SettingError) -> DatabaseAddress {
        let text = try reader.text(
            "database", "sqlite:parley.db", allowed: DatabaseAddress.allowed,
            "Where messages and accounts are kept (`--database`). Secret if it has a password.")
        let connections = try reader.integer(
            "postgres.connections", 8, in: 1...1000, "Connections of one process to PostgreSQL, at most.")
        let address = try DatabaseAddress(text)
        guard case .postgres(var settings) = address else { return address }
        settings.connections = connections
        return .postgres(settings)
    }

    private static func persister(_ reader: inout SettingsReader) throws(SettingError) -> PersisterSettings {
        var settings = PersisterSettings()
        settings.batchLimit = try reader.integer(
            "persister.batch", settings.batchLimit, in: 1...10_000, "Events of one transaction, at most.")
        settings.maximumDelay = .milliseconds(
            Int64(
                try reader.integer(
                    "persister.delay_ms", 20, in: 0...10_000,
                    "How long events wait for others to share a transaction with, in milliseconds.")))
        // What is not stored at the end stays in Redis, and others go on with it.
        settings.drains = false
        return settings
    }

    private static func budget(
        _ reader: inout SettingsReader, _ name: String, _ usual: Budget, _ perSecond: String, _ burst: String
    ) throws(SettingError) -> Budget {
        Budget(
            perSecond: try reader.integer("limits.\(name)_per_second", usual.perSecond, in: 0...1_000_000, perSecond),
            burst: try reader.integer("limits.\(name)_burst", usual.burst, in: 1...1_000_000, burst))
    }

    private static func limits(_ reader: inout SettingsReader) throws(SettingError) -> Limits {
        var limits = Limits()
        limits.textScalars = try reader.integer(
            "limits.text_chars", limits.textScalars, in: 1...100_000, "The longest message, in Unicode scalars.")
        limits.frameBytes = try reader.integer(
            "limits.frame_bytes", limits.frameBytes, in: 1024...16_777_216,
            "The largest WebSocket frame or message, in bytes.")
        limits.sendsPerSecond = try reader.integer(
            "limits.sends_per_second", limits.sendsPerSecond, in: 0...1_000_000,
            "Sends of one user per second, sustained; 0: no limit.")
        limits.sendsBurst = try reader.integer(
            "limits.sends_burst", limits.sendsBurst, in: 1...1_000_000, "Sends of one user at once.")
        limits.reads = try budget(
            &reader, "reads", limits.reads,
            "Read marks of one user that members are told per second; the others are merged; 0: no limit.",
            "Read marks of one user at once.")
        limits.typing = try budget(
            &reader, "typing", limits.typing,
            "Signs of typing of one user that members are told per second; the others are dropped; 0: no limit.",
            "Signs of typing of one user at once.")
        limits.history = try budget(
            &reader, "history", limits.history,
            "Pages that one user reads on a node per second, sustained; 0: no limit.", "Pages of one user at once.")
        limits.connectionsPerUser = try reader.integer(
            "limits.connections_per_user", limits.connectionsPerUser, in: 0...1_000_000,
            "Sockets of one user on a node; 0: no limit.")
        limits.connectionsPerAddress = try reader.integer(
            "limits.connections_per_address", limits.connectionsPerAddress, in: 0...10_000_000,
            "Sockets from one address (IPv6: a network of 64 bits) on a node, and as many other connections; of a trusted proxy its clients count, each request one. 0: no limit."
        )
        limits.connections = try reader.integer(
            "limits.connections", limits.connections, in: 0...10_000_000, "Sockets on a node; 0: no limit.")
        limits.outboundBytes = try reader.integer(
            "limits.outbound_bytes", limits.outboundBytes, in: 1024...16_777_216,
            "Bytes that may wait for one socket before its client counts as too slow.")
        limits.loginFailuresPerAccountPerMinute = try reader.integer(
            "limits.login_failures_per_account_per_minute", limits.loginFailuresPerAccountPerMinute,
            in: 0...1_000_000, "Wrong passwords for one account in a minute; 0: no limit.")
        limits.loginFailuresPerAddressPerMinute = try reader.integer(
            "limits.login_failures_per_address_per_minute", limits.loginFailuresPerAddressPerMinute,
            in: 0...1_000_000, "Wrong passwords from one address in a minute; 0: no limit.")
        limits.signUpsPerAddressPerMinute = try reader.integer(
            "limits.signups_per_address_per_minute", limits.signUpsPerAddressPerMinute, in: 0...1_000_000,
            "Accounts that strangers at one address may make in a minute, over all nodes; 0: no limit.")
        return limits
    }

    private static func gateway(
        _ reader: inout SettingsReader, _ limits: Limits
    ) throws(SettingError) -> GatewaySettings {
        let node = try reader.text(
            "node", "parley", allowed: "1 to 64 characters of A-Z a-z 0-9 . _ -",
            "The name of this node (`--node`).", isAllowed: { $0.count <= 64 && ThreadID($0) != nil })
        var settings = GatewaySettings(node: node)
        settings.limits = limits
        settings.drainWindow = .seconds(
            Int64(
                try reader.integer(
                    "drain_seconds", 10, in: 0...3600,
                    "How long sockets are sent off after SIGTERM, at most (`--drain-seconds`).")))
        settings.handshakeTimeout = .seconds(
            Int64(
                try reader.integer(
                    "handshake_seconds", 10, in: 1...60, "How long the head of a first request may take.")))
        settings.idleTimeout = .seconds(
            Int64(try reader.integer("idle_seconds", 60, in: 1...3600, "How long an HTTP connection may be idle.")))
        settings.bodyTimeout = .seconds(
            Int64(
                try reader.integer(
                    "body_seconds", 30, in: 1...3600,
                    "How long the body of a request may take; then 408. An import may take longer, see the next.")))
        settings.streamedBytesPerSecond = try reader.integer(
            "body_bytes_per_second", settings.streamedBytesPerSecond, in: 1...1_000_000_000,
            "The slowest that an import may come, measured over each PARLEY_BODY_SECONDS.")
        settings.spareConnections = try reader.integer(
            "limits.spare_connections", settings.spareConnections, in: 10...10_000_000,
            "Open connections that are not sockets, at most: handshakes and REST.")
        let proxies = try reader.optionalText(
            "trusted_proxies", allowed: "addresses and networks divided by commas, e.g. 127.0.0.1,10.0.0.0/8",
            "Peers whose X-Forwarded-For and X-Forwarded-Proto are believed.")
        do throws(TrustedProxies.ParseError) {
            settings.trustedProxies = try TrustedProxies(parsing: proxies ?? "")
        } catch {
            throw SettingError(setting: "PARLEY_TRUSTED_PROXIES", explanation: "\(error)")
        }
        return settings
    }

    private static func accounts(
        _ reader: inout SettingsReader, _ limits: Limits, _ database: DatabaseAddress, _ django: DjangoSettings?,
        _ secretFallback: (DatabaseAddress) throws(SettingError) -> Secret
    ) throws(SettingError) -> AccountSettings {
        let secret = try reader.optionalText(
            "secret", allowed: "a text of at least 32 bytes",
            standard: "made at the first start and kept beside an SQLite file; needed with PostgreSQL",
            "Signs tickets, and keys what is kept of deleted messages to know repeats; all nodes share one. Secret.")
        // The length is checked where the secret is used.
        let signing: Secret
        if let secret { signing = Secret(text: secret) } else { signing = try secretFallback(database) }
        var settings = AccountSettings(secret: signing)
        settings.limits = limits
        settings.allowsSignup = try reader.boolean(
            "auth.signup", django == nil,
            "Whether strangers may make an account. While Django sessions are on, `false` unless it is set: whoever signs up as a Django user would be that user."
        )
        settings.django = django
        settings.admins = try admins(&reader)
        settings.passwordIterations = try passwordIterations(&reader)
        settings.sessionLifetime = .seconds(
            try reader.integer(
                "auth.session_seconds", 1_209_600, in: 60...315_360_000, "How long a login lasts."))
        settings.resumeTicketLifetime = .seconds(
            try reader.integer(
                "auth.resume_ticket_seconds", 600, in: 10...600,
                "How long a client can come back with the ticket that `hello` or `bye` gave it."))
        settings.origins = try OriginPolicy(
            parsing: reader.optionalText(
                "allowed_origins", allowed: "origins divided by commas, e.g. https://chat.example.org",
                "Pages of other hosts that may use the session cookie.") ?? "")
        settings.apiKeys = try APIKeys(
            parsing: reader.optionalText(
                "api_keys", allowed: "name:pk_… divided by commas", "API keys for back ends. Secret.") ?? "")
        settings.jwt = try jwt(&reader)
        return settings
    }

    private static func admins(_ reader: inout SettingsReader) throws(SettingError) -> Set<String> {
        let text = try reader.optionalText(
            "auth.admins", allowed: "usernames divided by commas",
            "Names of operators, who may use the console and `/v1/admin`. Only accounts that an operator, an API key or `parley admin` has made count; nobody gets these names by signing up, JWT or Django."
        )
        var admins: Set<String> = []
        for name in (text ?? "").split(separator: ",") {
            let name = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            guard let name = UsernameRules.normalized(name) else {
                throw SettingError(
                    setting: "PARLEY_AUTH_ADMINS (auth.admins)", explanation: UsernameRules.explanation)
            }
            admins.insert(name)
        }
        return admins
    }

    /// Also for commands that need little else.
    static func passwordIterations(_ reader: inout SettingsReader) throws(SettingError) -> Int {
        try reader.integer(
            "auth.pbkdf2_iterations", AccountSettings.standardPasswordIterations, in: 1...10_000_000,
            "The cost of a new password hash (PBKDF2-SHA256).")
    }

    private static func jwt(_ reader: inout SettingsReader) throws(SettingError) -> JWTSettings? {
        let key = try reader.optionalText(
            "jwt.hs256_key", allowed: "a text, or base64: and base64", "Verifies JWTs signed by HS256. Secret.")
        let file = try reader.optionalText(
            "jwt.jwks_file", allowed: "the path of a JWKS file (RFC 7517)",
            "Verifies JWTs signed by RS256, ES256, EdDSA or HS256.")
        var settings = JWTSettings()
        settings.issuer = try reader.optionalText("jwt.issuer", allowed: "a text", "What `iss` must be.")
        settings.audience = try reader.optionalText("jwt.audience", allowed: "a text", "What `aud` must list.")
        settings.createsUsers = try reader.boolean(
            "jwt.create_users", false, "Whether a JWT of an unknown `sub` makes a user.")
        let claim = try reader.optionalText(
            "jwt.operator_claim", allowed: OperatorClaim.allowed,
            "The claim that makes a JWT's bearer an operator: `name` must be `true`, `name=value` that text or a list with it."
        )
        if let claim {
            guard let operatorClaim = OperatorClaim(claim) else {
                throw SettingError(
                    setting: "PARLEY_JWT_OPERATOR_CLAIM (jwt.operator_claim)",
                    explanation: "allowed is \(OperatorClaim.allowed)")
            }
            settings.operatorClaim = operatorClaim
        }
        guard key != nil || file != nil else { return nil }
        if let key { settings.hs256Key = try Secret(setting: "PARLEY_JWT_HS256_KEY", value: key) }
        if let file { settings.jwks = try TextFile.read(file, setting: "PARLEY_JWT_JWKS_FILE") }
        return settings
    }
}
