// swift-tools-version: 6.2
import PackageDescription

/// The compiler settings of every target.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    // A newer compiler may add warnings; PARLEY_LENIENT=1 builds in spite of them.
    Context.environment["PARLEY_LENIENT"] == nil ? .treatAllWarnings(as: .error) : .unsafeFlags([]),
]

let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioWebSocket = Target.Dependency.product(name: "NIOWebSocket", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let jwt = Target.Dependency.product(name: "JWTKit", package: "jwt-kit")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let coreMetrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let lifecycleTestKit = Target.Dependency.product(
    name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle")
let metricsTestKit = Target.Dependency.product(name: "MetricsTestKit", package: "swift-metrics")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
/// NIO for the client library, which uses URLSession on Apple's systems.
let linuxNIO = [
    ("NIOCore", "swift-nio"), ("NIOPosix", "swift-nio"), ("NIOHTTP1", "swift-nio"), ("NIOWebSocket", "swift-nio"),
    ("NIOSSL", "swift-nio-ssl"),
].map { Target.Dependency.product(name: $0, package: $1, condition: .when(platforms: [.linux])) }
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")

/// The version as a C string. `PARLEY_VERSION=1.2.3 swift build` compiles this one file again and links.
let version = Target.target(
    name: "CVersion",
    cSettings: Context.environment["PARLEY_VERSION"].map { [.define("PARLEY_VERSION", to: "\"\($0)\"")] }
)

/// A `setpriority` that does not let threads of libdispatch undo the nice value of the process.
let priority = Target.target(name: "CPriority")

/// Puts Swift's runtime into the program, which costs a gateway 3 to 9 % less and needs no Swift where it runs. The libraries
/// named here are those that the static Foundation consists of, which objects compiled for the shared one do not name.
let staticRuntime: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-static-stdlib", "-lCoreFoundation", "-l_FoundationICU", "-l_FoundationCShims", "-l_FoundationCollections",
        ], .when(platforms: [.linux], configuration: .release))
]

/// The web client's files, embedded by `web_client.c`.
let webClient = Target.target(name: "CWebClient", exclude: ["files"])

let package = Package(
    name: "parley",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "ParleyClient", targets: ["ParleyClient"]),
        .executable(name: "parley", targets: ["parley"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
    ],
    targets: [
        // MARK: Pure targets: values; no event loop, timer or database

        // The JSON reader, writer and value of the whole program.
        .target(name: "ParleyJSON", swiftSettings: settings),

        // Shared waiting and remembering: batch loader, single flight, keyed lock, TTL cache, backoff.
        .target(name: "ParleyConcurrency", swiftSettings: settings),

        // The domain types (ids, events, positions, limits) and the ports.
        .target(name: "ParleyModel", dependencies: ["ParleyJSON"], swiftSettings: settings),

        // Bytes to commands and events to bytes: one codec per dialect, frames encoded once and shared.
        .target(
            name: "ParleyWire", dependencies: ["ParleyJSON", "ParleyModel", "CZlib", nioCore], swiftSettings: settings),

        // One client session per dialect as a value: an event in, actions out.
        .target(name: "ParleySession", dependencies: ["ParleyModel", "ParleyWire"], swiftSettings: settings),

        // What every client of the v1 dialect is made of: its codec, and when it connects, waits and gives up.
        .target(name: "ParleyClientCore", dependencies: ["ParleyJSON"], swiftSettings: settings),

        // The terminal client as values: keys in, screens and lines of text out.
        .target(name: "ParleyTerminal", dependencies: ["ParleyJSON", "ParleyModel"], swiftSettings: settings),

        // What an event does to a store: rules, positions, effects, pages and digests, shared by both databases.
        .target(name: "ParleyStorage", dependencies: ["ParleyModel", crypto], swiftSettings: settings),

        // MARK: Event loops

        // Which sockets of this process want which thread; ordering, gap repair and delivery.
        .target(
            name: "ParleyFanOut", dependencies: ["ParleyModel", "ParleyWire", nioCore, metrics, logging],
            swiftSettings: settings
        ),

        // TCP connections outside of channels: an epoll instance for each event loop, and the limit of open files.
        .target(name: "ParleySockets", dependencies: ["CEpoll", nioCore, nioPosix], swiftSettings: settings),

        // MARK: Use cases: over ports

        // Credentials: passwords, auth sessions, JWT, API keys, tickets; batched look-ups.
        .target(
            name: "ParleyAccounts",
            dependencies: [
                "ParleyConcurrency", "ParleyJSON", "ParleyModel", "CZlib", crypto, cryptoExtras, jwt, logging,
            ],
            swiftSettings: settings
        ),

        // Every command that reads or changes threads, messages, members and accounts; rights, budgets and limits.
        .target(
            name: "ParleyMessaging",
            dependencies: ["ParleyConcurrency", "ParleyModel", "ParleyAccounts", crypto, logging],
            swiftSettings: settings),

        // MARK: Listeners and workers: own sockets, timers and tasks; know ports, never adapters

        // The WebSocket and line listeners: handshake, socket handlers, drain.
        .target(
            name: "ParleyGateway",
            dependencies: [
                "ParleyJSON", "ParleyModel", "ParleyWire", "ParleySession", "ParleyFanOut", "ParleyAccounts",
                "ParleyMessaging", "ParleySockets", nioCore, nioPosix, nioHTTP1, nioWebSocket, nioHTTPTypes, httpTypes,
                hummingbirdCore,
                logging, metrics, lifecycle,
            ],
            swiftSettings: settings
        ),

        // HTTP: classic and v1 routes, admin API, web client, ops endpoints.
        .target(
            name: "ParleyREST",
            dependencies: [
                "ParleyConcurrency", "ParleyJSON", "ParleyModel", "ParleyWire", "ParleyAccounts", "ParleyMessaging",
                "CWebClient", hummingbird, httpTypes, nioCore, logging, coreMetrics, metrics,
            ],
            swiftSettings: settings
        ),

        // Log to batches to store, exactly once; relay of the outbox.
        .target(
            name: "ParleyPersister",
            dependencies: ["ParleyConcurrency", "ParleyModel", "ParleyMessaging", logging, metrics, lifecycle],
            swiftSettings: settings),

        // MARK: Adapters: implement ports

        // Bus and log in memory: the executable specification and the embedded default.
        .target(name: "ParleyMemory", dependencies: ["ParleyModel", deque], swiftSettings: settings),

        // Bus and log on Redis, and the wire format of Django's channel layer.
        .target(
            name: "ParleyRedis",
            dependencies: [
                "ParleyConcurrency", "ParleyJSON", "ParleyModel", "CHiredis", crypto, cryptoExtras, nioCore, nioPosix,
                nioSSL, logging,
                metrics,
            ],
            swiftSettings: settings
        ),

        // Store, accounts and directory in one SQLite file.
        .target(
            name: "ParleySQLite", dependencies: ["ParleyJSON", "ParleyModel", "ParleyStorage", grdb, sqlite],
            swiftSettings: settings),

        // Store, accounts and directory in a PostgreSQL database that many nodes share.
        .target(
            name: "ParleyPostgres",
            dependencies: ["ParleyConcurrency", "ParleyModel", "ParleyStorage", "CPostgres", logging, metrics],
            swiftSettings: settings),

        // The bytes of attachments: in a folder, or in an S3-compatible storage.
        .target(
            name: "ParleyBlobs", dependencies: ["ParleyModel", asyncHTTPClient, crypto, nioCore, nioHTTP1],
            swiftSettings: settings),

        // A swift-metrics backend that writes the Prometheus text format.
        .target(name: "ParleyMetrics", dependencies: [coreMetrics], swiftSettings: settings),

        // MARK: Client library

        // Chat for apps and bots: connection, outbox, cache, live collections; knows no target of the server but ParleyJSON.
        .target(
            name: "ParleyClient", dependencies: ["ParleyClientCore", "ParleyJSON", grdb, logging] + linuxNIO,
            swiftSettings: settings),

        // MARK: Load generator

        // Virtual users on the public protocol: load plans, checker, reports.
        .target(
            name: "ParleyBots",
            dependencies: [
                "ParleyClientCore", "ParleyJSON", "ParleyModel", "ParleyWire", "ParleySockets", nioCore, nioPosix,
                nioHTTP1, nioSSL, asyncHTTPClient, logging,
            ],
            swiftSettings: settings
        ),

        // MARK: Conformance kit

        // A hostile v1 server that plays scenarios against any client, and judges what the client does.
        .target(
            name: "ParleyConformance",
            dependencies: [
                "ParleyJSON", "ParleyModel", "ParleyWire", "CWebClient", nioCore, nioPosix, nioHTTP1, crypto,
            ],
            swiftSettings: settings
        ),

        // MARK: System libraries

        // zlib, for permessage-deflate.
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        // hiredis, for its reply parser. Without its pkg-config file, since SwiftPM warns of the flags in it.
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),

        // Linux system calls that Swift's Glibc module omits.
        .systemLibrary(name: "CEpoll"),

        // libpq, PostgreSQL's own client.
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),

        // MARK: C sources

        version,
        webClient,
        priority,

        // MARK: Program: the only target that sees adapters

        // Settings, wiring, commands.
        .executableTarget(
            name: "parley",
            dependencies: [
                "ParleyJSON", "ParleyModel", "ParleyWire", "ParleySession", "ParleyFanOut", "ParleyAccounts",
                "ParleyMessaging", "ParleyGateway", "ParleyREST", "ParleyPersister", "ParleyMemory", "ParleySQLite",
                "ParleyRedis",
                "ParleyPostgres", "ParleyBlobs", "ParleyStorage", "ParleySockets", "ParleyMetrics", "ParleyBots",
                "ParleyClient", "ParleyTerminal", "ParleyConformance", "CVersion", "CPriority",
                hummingbird, nioCore, nioPosix, logging, metrics, lifecycle, unixSignals, argumentParser, configuration,
                systemPackage, hummingbirdCore,
            ],
            swiftSettings: settings,
            linkerSettings: staticRuntime
        ),

        // MARK: Unit tests: start no server

        // The contract suites of the ports, and what tests share: clients, servers, processes, a browser.
        .target(
            name: "ParleyTestSupport",
            dependencies: ["ParleyModel", "CZlib", nioCore, nioPosix, nioHTTP1, nioWebSocket],
            path: "Tests/ParleyTestSupport",
            // The optimiser takes minutes for the expanded macros of the contract suites.
            swiftSettings: settings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]
        ),
        .testTarget(
            name: "ParleyJSONTests", dependencies: ["ParleyJSON", "ParleyTestSupport"], swiftSettings: settings),
        .testTarget(
            name: "ParleyConcurrencyTests", dependencies: ["ParleyConcurrency", "ParleyTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyModelTests", dependencies: ["ParleyJSON", "ParleyModel", "ParleyTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyWireTests",
            dependencies: ["ParleyJSON", "ParleyWire", "ParleyModel", "ParleyTestSupport", nioCore],
            swiftSettings: settings),
        .testTarget(
            name: "ParleySessionTests",
            dependencies: ["ParleySession", "ParleyWire", "ParleyModel", "ParleyTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "ParleySocketsTests", dependencies: ["ParleySockets", nioCore, nioPosix], swiftSettings: settings),
        .testTarget(
            name: "ParleyFanOutTests",
            dependencies: [
                "ParleyFanOut", "ParleyWire", "ParleyModel", "ParleyMemory", "ParleyTestSupport", nioCore, nioPosix,
                nioEmbedded, metrics, metricsTestKit, logging,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyAccountsTests",
            dependencies: ["ParleyAccounts", "ParleyModel", "ParleyTestSupport", crypto, jwt],
            resources: [.copy("Vectors")], swiftSettings: settings),
        .testTarget(
            name: "ParleyMessagingTests",
            dependencies: [
                "ParleyMessaging", "ParleyModel", "ParleyAccounts", "ParleyMemory", "ParleySQLite", "ParleyTestSupport",
                logging,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyGatewayTests",
            dependencies: [
                "ParleyGateway", "ParleyMessaging", "ParleyModel", "ParleyWire", "ParleyFanOut", "ParleyAccounts",
                "ParleyMemory",
                "ParleySQLite", "ParleyTestSupport", hummingbirdCore, httpTypes, nioCore, nioPosix, nioEmbedded,
                nioHTTP1, lifecycle, logging, metrics, metricsTestKit,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyRESTTests",
            dependencies: [
                "ParleyREST", "ParleyMessaging", "ParleyModel", "ParleyAccounts", "ParleyMemory", "ParleyMetrics",
                "ParleySQLite", "ParleyBlobs", "ParleyPersister", "ParleyTestSupport",
                hummingbird, httpTypes, nioCore, logging,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyStorageTests", dependencies: ["ParleyStorage", "ParleyModel", crypto], swiftSettings: settings),
        .testTarget(
            name: "ParleyPersisterTests",
            dependencies: [
                "ParleyPersister", "ParleyMessaging", "ParleyModel", "ParleyMemory", "ParleySQLite",
                "ParleyTestSupport", logging, metrics, metricsTestKit, lifecycle, lifecycleTestKit,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyMemoryTests", dependencies: ["ParleyMemory", "ParleyModel", "ParleyTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyRedisTests",
            dependencies: ["ParleyConcurrency", "ParleyRedis", "ParleyModel", "ParleyTestSupport", nioCore, crypto],
            swiftSettings: settings),
        .testTarget(
            name: "ParleySQLiteTests",
            dependencies: ["ParleySQLite", "ParleyModel", "ParleyStorage", "ParleyTestSupport", grdb],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyPostgresTests", dependencies: ["ParleyPostgres", "ParleyModel", "ParleyTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyBlobsTests",
            dependencies: [
                "ParleyBlobs", "ParleyModel", "ParleyTestSupport", nioCore, nioPosix, nioHTTP1,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyMetricsTests", dependencies: ["ParleyMetrics", coreMetrics], swiftSettings: settings),
        .testTarget(
            name: "ParleyClientCoreTests", dependencies: ["ParleyClientCore", "ParleyJSON", "ParleyTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyBotsTests",
            dependencies: ["ParleyBots", "ParleyClientCore", "ParleyJSON", "ParleyModel", "ParleyTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyClientTests", dependencies: ["ParleyClient", "ParleyJSON", "ParleyTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "ParleyTerminalTests", dependencies: ["ParleyTerminal", "ParleyTestSupport"], swiftSettings: settings),
        .testTarget(
            name: "ParleyConformanceTests",
            dependencies: [
                "ParleyConformance", "ParleyClient", "ParleyJSON", "ParleyModel", "ParleyTestSupport", nioCore,
                nioEmbedded, nioHTTP1,
            ],
            swiftSettings: settings),
        // The rules of the architecture, of the files in deploy/, and of what tests share.
        .testTarget(name: "ParleyTests", dependencies: ["ParleyTestSupport"], swiftSettings: settings),

        // MARK: Integration tests: start real servers, browsers and `parley` itself

        // ParleyRedis against Redis and Sentinel.
        .testTarget(
            name: "RedisIntegrationTests",
            dependencies: [
                "ParleyConcurrency", "ParleyRedis", "ParleyModel", "ParleyTestSupport", nioCore, nioPosix, logging,
                coreMetrics,
            ],
            swiftSettings: settings),
        // ParleyPostgres against PostgreSQL.
        .testTarget(
            name: "PostgresIntegrationTests",
            dependencies: [
                "ParleyPostgres", "ParleyModel", "ParleyStorage", "ParleyTestSupport", coreMetrics, logging,
            ],
            swiftSettings: settings),
        // The whole program as a process on real sockets: clients, crashes, the browser. No test depends on the target
        // "parley": tests are linked with Swift's shared libraries.
        .testTarget(
            name: "ParleyProgramTests",
            dependencies: [
                "ParleyBots", "ParleyClient", "ParleyConformance", "ParleyJSON", "ParleyModel", "ParleyWire",
                "ParleyTestSupport", crypto,
                nioCore, nioPosix,
            ],
            swiftSettings: settings),
        // A cluster of real processes under load, while parts of it are killed, cut off and restarted.
        .testTarget(
            name: "FaultTests", dependencies: ["ParleyBots", "ParleyPostgres", "ParleyTestSupport", crypto],
            swiftSettings: settings),
    ]
)
