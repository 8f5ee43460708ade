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

/// The settings of tests. The optimiser would take as long again for them, most of it for expanded macros, and what they
/// test is optimised.
let testSettings = settings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// A condition on the trait of everything but the client library. SwiftPM resolves no package that only targets of a
/// disabled trait use, so an app that depends on ParleyClient with `traits: []` gets few packages (decision 063).
let server = TargetDependencyCondition.when(traits: ["Server"])

let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioWebSocket = Target.Dependency.product(name: "NIOWebSocket", package: "swift-nio")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras", condition: server)
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2", condition: server)
let nioHPACK = Target.Dependency.product(name: "NIOHPACK", package: "swift-nio-http2", condition: server)
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types", condition: server)
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird", condition: server)
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird", condition: server)
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto", condition: server)
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto", condition: server)
let jwt = Target.Dependency.product(name: "JWTKit", package: "jwt-kit", condition: server)
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let coreMetrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics", condition: server)
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics", condition: server)
let lifecycle = Target.Dependency.product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server)
let lifecycleTestKit = Target.Dependency.product(
    name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle", condition: server)
let metricsTestKit = Target.Dependency.product(name: "MetricsTestKit", package: "swift-metrics", condition: server)
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle", condition: server)
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: server)
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections", condition: server)
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system", condition: server)
/// NIO for the client library, which uses URLSession on Apple's systems.
let linuxNIO = [
    ("NIOCore", "swift-nio"), ("NIOPosix", "swift-nio"), ("NIOHTTP1", "swift-nio"), ("NIOWebSocket", "swift-nio"),
    ("NIOSSL", "swift-nio-ssl"),
].map { Target.Dependency.product(name: $0, package: $1, condition: .when(platforms: [.linux])) }
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration", condition: server)
let asyncHTTPClient = Target.Dependency.product(
    name: "AsyncHTTPClient", package: "async-http-client", condition: server)

/// The version as a C string. `PARLEY_VERSION=1.2.3 swift build` compiles this one file again and links.
let version = Target.target(
    name: "CVersion", path: "Sources/Shims/CVersion",
    cSettings: Context.environment["PARLEY_VERSION"].map { [.define("PARLEY_VERSION", to: "\"\($0)\"")] }
)

/// A `setpriority` that does not let threads of libdispatch undo the nice value of the process.
let priority = Target.target(name: "CPriority", path: "Sources/Shims/CPriority")

/// Virtual time, random numbers and sockets of a simulation, and the queue of Swift's runtime.
let simulator = Target.target(name: "CSimulator", path: "Sources/Shims/CSimulator")

/// Replaces calls of the C library, in a program that is linked with it, by those of a simulation.
let simulatedCalls = Target.target(
    name: "CSimulatedCalls", dependencies: ["CSimulator"], path: "Sources/Shims/CSimulatedCalls")

/// Puts Swift's runtime into the program, which costs a gateway 3 to 9 % less and needs no Swift where it runs. The libraries
/// named here are those that the static Foundation consists of, which objects compiled for the shared one do not name.
let staticRuntime: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-static-stdlib", "-lCoreFoundation", "-l_FoundationICU", "-l_FoundationCShims", "-l_FoundationCollections",
        ], .when(platforms: [.linux], configuration: .release))
]

/// Whether the program is for other machines (deploy/build).
let isDelivered = Context.environment["PARLEY_DELIVERED"] != nil

/// hiredis, which is in a program for other machines: its shared library has another name in each release of Debian and
/// Ubuntu.
let hiredis = LinkerSetting.linkedLibrary(isDelivered ? ":libhiredis.a" : "hiredis")

/// Where such a program looks first for its shared libraries, for those that a tarball brings. An RPATH, since these do not
/// find each other by a RUNPATH.
let ownLibraries: [LinkerSetting] =
    isDelivered
    ? [
        .unsafeFlags(
            ["--disable-new-dtags", "-rpath", "$ORIGIN/../lib/parley"].flatMap { ["-Xlinker", $0] },
            .when(platforms: [.linux], configuration: .release))
    ] : []

/// The web client's files, embedded by `web_client.c`.
let webClient = Target.target(name: "CWebClient", exclude: ["files", "package", "package.json"])

let package = Package(
    name: "parley",
    // Those of ParleyClient; the server runs on Linux, where they have no effect (decision 064).
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [
        .library(name: "ParleyClient", targets: ["ParleyClient"]),
        .library(name: "ParleyClientObservation", targets: ["ParleyClientObservation"]),
        .library(name: "ParleyClientTesting", targets: ["ParleyClientTesting"]),
        .executable(name: "parley", targets: ["parley"]),
    ],
    traits: [
        .trait(
            name: "Server",
            description: "The packages of the program, its tools and its tests, which ParleyClient does not need."),
        .default(enabledTraits: ["Server"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.40.0"),
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
        .target(name: "ParleyJSON", path: "Sources/Core/ParleyJSON", swiftSettings: settings),

        // Shared waiting and remembering: batch loader, single flight, keyed lock, TTL cache, backoff.
        .target(name: "ParleyConcurrency", path: "Sources/Core/ParleyConcurrency", swiftSettings: settings),

        // The domain types (ids, events, positions, limits) and the ports.
        .target(
            name: "ParleyModel", dependencies: ["ParleyJSON"], path: "Sources/Core/ParleyModel", swiftSettings: settings
        ),

        // Bytes to commands and events to bytes: one codec per dialect, frames encoded once and shared.
        .target(
            name: "ParleyWire", dependencies: ["ParleyJSON", "ParleyModel", "CZlib", nioCore],
            path: "Sources/Core/ParleyWire", swiftSettings: settings),

        // One client session per dialect as a value: an event in, actions out.
        .target(
            name: "ParleySession", dependencies: ["ParleyModel", "ParleyWire"], path: "Sources/Core/ParleySession",
            swiftSettings: settings),

        // What every client of the v1 dialect is made of: its codec, and when it connects, waits and gives up.
        .target(
            name: "ParleyClientCore", dependencies: ["ParleyJSON"], path: "Sources/Client/ParleyClientCore",
            swiftSettings: settings),

        // The terminal client as values: keys in, screens and lines of text out.
        .target(
            name: "ParleyTerminal", dependencies: ["ParleyJSON", "ParleyModel"], path: "Sources/Tools/ParleyTerminal",
            swiftSettings: settings),

        // What an event does to a store: rules, positions, effects, pages and digests, shared by both databases.
        .target(
            name: "ParleyStorage", dependencies: ["ParleyModel", crypto], path: "Sources/Core/ParleyStorage",
            swiftSettings: settings),

        // MARK: Event loops

        // Which sockets of this process want which thread; ordering, gap repair and delivery.
        .target(
            name: "ParleyFanOut", dependencies: ["ParleyModel", "ParleyWire", nioCore, metrics, logging],
            path: "Sources/Node/ParleyFanOut",
            swiftSettings: settings
        ),

        // TCP connections outside of channels: an epoll instance for each event loop, and the limit of open files.
        .target(
            name: "ParleySockets", dependencies: ["CEpoll", nioCore, nioPosix], path: "Sources/Node/ParleySockets",
            swiftSettings: settings),

        // MARK: Use cases: over ports

        // Credentials: passwords, auth sessions, JWT, API keys, tickets; batched look-ups.
        .target(
            name: "ParleyAccounts",
            dependencies: [
                "ParleyConcurrency", "ParleyJSON", "ParleyModel", "CZlib", crypto, cryptoExtras, jwt, logging,
            ], path: "Sources/UseCases/ParleyAccounts",
            swiftSettings: settings
        ),

        // Every command that reads or changes threads, messages, members and accounts; rights, budgets and limits.
        .target(
            name: "ParleyMessaging",
            dependencies: [
                "ParleyConcurrency", "ParleyJSON", "ParleyModel", "ParleyAccounts", crypto, jwt, logging,
            ],
            path: "Sources/UseCases/ParleyMessaging",
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
            ], path: "Sources/Node/ParleyGateway",
            swiftSettings: settings
        ),

        // HTTP: classic and v1 routes, admin API, web client, ops endpoints.
        .target(
            name: "ParleyREST",
            dependencies: [
                "ParleyConcurrency", "ParleyJSON", "ParleyModel", "ParleyWire", "ParleyAccounts", "ParleyMessaging",
                "CWebClient", hummingbird, httpTypes, nioCore, logging, coreMetrics, metrics,
            ], path: "Sources/Node/ParleyREST",
            swiftSettings: settings
        ),

        // Log to batches to store, exactly once; relay of the outbox.
        .target(
            name: "ParleyPersister",
            dependencies: ["ParleyConcurrency", "ParleyModel", "ParleyMessaging", logging, metrics, lifecycle],
            path: "Sources/Node/ParleyPersister",
            swiftSettings: settings),

        // MARK: Adapters: implement ports

        // Bus and log in memory: the executable specification and the embedded default.
        .target(
            name: "ParleyMemory", dependencies: ["ParleyModel", deque], path: "Sources/Adapters/ParleyMemory",
            swiftSettings: settings),

        // A Redis client: connections, RESP, scripts, Sentinel, TLS.
        .target(
            name: "ParleyRedisClient",
            dependencies: [
                "ParleyConcurrency", "ParleyModel", "CHiredis", crypto, nioCore, nioPosix, nioSSL, logging, coreMetrics,
            ], path: "Sources/Adapters/ParleyRedisClient", swiftSettings: settings, linkerSettings: [hiredis]),

        // The formats of channels_redis: names of channels, serializers, encryption, and Parley's events in them.
        .target(
            name: "ParleyChannels", dependencies: ["ParleyJSON", "ParleyModel", crypto, cryptoExtras],
            path: "Sources/Adapters/ParleyChannels", swiftSettings: settings),

        // The ports on Redis: bus, log, presence, nodes and the small shared stores.
        .target(
            name: "ParleyRedis",
            dependencies: [
                "ParleyChannels", "ParleyConcurrency", "ParleyJSON", "ParleyModel", "ParleyRedisClient", crypto,
                nioCore,
                logging, coreMetrics, metrics,
            ], path: "Sources/Adapters/ParleyRedis",
            swiftSettings: settings
        ),

        // Django's queues, those of RedisChannelLayer: nodes receive from them, and put messages into them.
        .target(
            name: "ParleyDjangoQueues",
            dependencies: [
                "ParleyChannels", "ParleyModel", "ParleyRedis", "ParleyRedisClient", nioCore, logging, coreMetrics,
                metrics,
            ], path: "Sources/Adapters/ParleyDjangoQueues", swiftSettings: settings),

        // Store, accounts and directory in one SQLite file.
        .target(
            name: "ParleySQLite", dependencies: ["ParleyJSON", "ParleyModel", "ParleyStorage", grdb, sqlite],
            path: "Sources/Adapters/ParleySQLite",
            swiftSettings: settings),

        // Store, accounts and directory in a PostgreSQL database that many nodes share.
        .target(
            name: "ParleyPostgres",
            dependencies: ["ParleyConcurrency", "ParleyModel", "ParleyStorage", "CPostgres", logging, metrics],
            path: "Sources/Adapters/ParleyPostgres",
            swiftSettings: settings),

        // The bytes of attachments, in a folder or in an S3-compatible storage; requests to push services.
        .target(
            name: "ParleyBlobs",
            dependencies: [
                "ParleyModel", asyncHTTPClient, crypto, nioCore, nioPosix, nioHTTP1, nioHTTP2, nioHPACK, nioSSL,
            ],
            path: "Sources/Adapters/ParleyBlobs",
            swiftSettings: settings),

        // A swift-metrics backend that writes the Prometheus text format.
        .target(
            name: "ParleyMetrics", dependencies: [coreMetrics], path: "Sources/Adapters/ParleyMetrics",
            swiftSettings: settings),

        // MARK: Models of servers, for the simulator

        // What Parley uses of a Redis server, as a value: bytes in, bytes out, no socket and no clock.
        .target(
            name: "ParleyRedisModel",
            dependencies: ["ParleyModel", "ParleyChannels", "ParleyRedis", "ParleyRedisClient", deque, nioCore],
            path: "Sources/Simulation/ParleyRedisModel",
            swiftSettings: settings),

        // A model of the PostgreSQL store: every port of a store on tables in memory, with faults.
        .target(
            name: "ParleyStoreModel", dependencies: ["ParleyModel", "ParleyStorage"],
            path: "Sources/Simulation/ParleyStoreModel", swiftSettings: settings),

        // MARK: Client library

        // Chat for apps and bots: connection, outbox, cache, live collections; knows no target of the server but ParleyJSON.
        .target(
            name: "ParleyClient", dependencies: ["ParleyClientCore", "ParleyJSON", grdb, logging] + linuxNIO,
            path: "Sources/Client/ParleyClient",
            swiftSettings: settings),

        // Observable models of threads and messages, for views of iOS 17 and macOS 14.
        .target(
            name: "ParleyClientObservation", dependencies: ["ParleyClient"],
            path: "Sources/Client/ParleyClientObservation",
            swiftSettings: settings),

        // For tests and previews of apps: a server in memory, a client of given content, a clock that stands still.
        .target(
            name: "ParleyClientTesting", dependencies: ["ParleyClient", "ParleyClientCore", "ParleyJSON"],
            path: "Sources/Client/ParleyClientTesting",
            swiftSettings: settings),

        // MARK: Load generator

        // Virtual users on the public protocol: load plans, checker, reports.
        .target(
            name: "ParleyBots",
            dependencies: [
                "ParleyClientCore", "ParleyJSON", "ParleyModel", "ParleyWire", "ParleySockets", nioCore, nioPosix,
                nioHTTP1, nioSSL, asyncHTTPClient, logging,
            ], path: "Sources/Tools/ParleyBots",
            swiftSettings: settings
        ),

        // MARK: Conformance kit

        // A hostile v1 server that plays scenarios against any client, and judges what the client does.
        .target(
            name: "ParleyConformance",
            dependencies: [
                "ParleyJSON", "ParleyModel", "ParleyWire", "CWebClient", nioCore, nioPosix, nioHTTP1, crypto,
            ], path: "Sources/Tools/ParleyConformance",
            swiftSettings: settings
        ),

        // MARK: Simulator

        // A whole cluster on one thread in virtual time: scheduler, faults, users and their checker.
        .target(
            name: "ParleySimulator",
            dependencies: [
                "CEpoll", "CSimulator", "ParleyModel", "ParleyWire", "ParleyClientCore", "ParleyFanOut",
                "ParleySockets", "ParleyAccounts", "ParleyMessaging", "ParleyGateway", "ParleyPersister", "ParleyRedis",
                "ParleyRedisClient",
                "ParleyRedisModel", "ParleyStorage", "ParleyStoreModel", nioCore, nioHTTP1, logging, coreMetrics,
            ], path: "Sources/Simulation/ParleySimulator",
            swiftSettings: settings),

        // Searches for broken promises, seed by seed.
        .executableTarget(
            name: "parley-sim", dependencies: ["CSimulatedCalls", "ParleySimulator", nioCore, argumentParser],
            path: "Sources/Simulation/parley-sim",
            swiftSettings: settings, linkerSettings: staticRuntime),

        // MARK: System libraries

        // zlib, for permessage-deflate.
        .systemLibrary(
            name: "CZlib", path: "Sources/Shims/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        // hiredis, for its reply parser. Without its pkg-config file, since SwiftPM warns of the flags in it.
        .systemLibrary(name: "CHiredis", path: "Sources/Shims/CHiredis", providers: [.apt(["libhiredis-dev"])]),

        // Linux system calls that Swift's Glibc module omits.
        .systemLibrary(name: "CEpoll", path: "Sources/Shims/CEpoll"),

        // libpq, PostgreSQL's own client.
        .systemLibrary(
            name: "CPostgres", path: "Sources/Shims/CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),

        // MARK: C sources

        version,
        webClient,
        priority,
        simulator,
        simulatedCalls,

        // MARK: Program: the only target that sees adapters

        // Settings, wiring, commands.
        .executableTarget(
            name: "parley",
            dependencies: [
                "ParleyJSON", "ParleyModel", "ParleyWire", "ParleySession", "ParleyFanOut", "ParleyAccounts",
                "ParleyMessaging", "ParleyGateway", "ParleyREST", "ParleyPersister", "ParleyMemory", "ParleySQLite",
                "ParleyChannels", "ParleyDjangoQueues", "ParleyRedis", "ParleyRedisClient",
                "ParleyPostgres", "ParleyBlobs", "ParleyStorage", "ParleySockets", "ParleyMetrics", "ParleyBots",
                "ParleyClient", "ParleyTerminal", "ParleyConformance", "CVersion", "CPriority",
                hummingbird, nioCore, nioPosix, logging, metrics, lifecycle, unixSignals, argumentParser, configuration,
                systemPackage, hummingbirdCore, asyncHTTPClient, nioHTTP1,
            ], path: "Sources/Program/parley",
            swiftSettings: settings,
            linkerSettings: staticRuntime + ownLibraries
        ),

        // MARK: Unit tests: start no server

        // What tests share: clients, child processes, waiting, random numbers.
        .target(
            name: "ParleyTestSupport", dependencies: ["CZlib", crypto, nioCore, nioPosix, nioHTTP1, nioWebSocket],
            path: "Tests/Support/ParleyTestSupport", swiftSettings: settings),
        // The contract suites of the ports, and stand-ins for ports.
        .target(
            name: "ParleyTestContracts",
            dependencies: ["ParleyModel", "ParleyStorage", "ParleyStoreModel", "ParleyTestSupport"],
            path: "Tests/Support/ParleyTestContracts",
            swiftSettings: testSettings
        ),
        // The servers that integration tests start: `parley`, Redis, PostgreSQL, HAProxy.
        .target(
            name: "ParleyTestServers", dependencies: ["ParleyTestSupport", nioCore, nioPosix],
            path: "Tests/Support/ParleyTestServers", swiftSettings: settings),
        // A browser.
        .target(
            name: "ParleyTestBrowser", dependencies: ["ParleyTestSupport"],
            path: "Tests/Support/ParleyTestBrowser", swiftSettings: settings),
        .testTarget(
            name: "ParleyJSONTests", dependencies: ["ParleyJSON", "ParleyTestSupport"],
            path: "Tests/Unit/ParleyJSONTests", swiftSettings: testSettings),
        .testTarget(
            name: "ParleyConcurrencyTests", dependencies: ["ParleyConcurrency", "ParleyTestSupport"],
            path: "Tests/Unit/ParleyConcurrencyTests",
            swiftSettings: testSettings),
        .testTarget(
            name: "ParleyModelTests",
            dependencies: ["ParleyJSON", "ParleyModel", "ParleyTestContracts", "ParleyTestSupport"],
            path: "Tests/Unit/ParleyModelTests",
            swiftSettings: testSettings),
        .testTarget(
            name: "ParleyWireTests",
            dependencies: ["ParleyJSON", "ParleyWire", "ParleyModel", "ParleyTestSupport", nioCore],
            path: "Tests/Unit/ParleyWireTests",
            swiftSettings: testSettings),
        .testTarget(
            name: "ParleySessionTests",
            dependencies: ["ParleySession", "ParleyWire", "ParleyModel", "ParleyTestSupport"],
            path: "Tests/Unit/ParleySessionTests",
            swiftSettings: testSettings),
        .testTarget(
            name: "ParleySocketsTests", dependencies: ["ParleySockets", nioCore, nioPosix],
            path: "Tests/Unit/ParleySocketsTests", swiftSettings: testSettings),
        .testTarget(
            name: "ParleyFanOutTests",
            dependencies: [
                "ParleyFanOut", "ParleyWire", "ParleyModel", "ParleyMemory", "ParleyTestContracts", "ParleyTestSupport",
                nioCore, nioPosix,
                nioEmbedded, metrics, metricsTestKit, logging,
            ], path: "Tests/Unit/ParleyFanOutTests",
            swiftSettings: testSettings),
        .testTarget(
            name: "ParleyAccountsTests",
            dependencies: ["ParleyAccounts", "ParleyModel", "ParleyTestContracts", "ParleyTestSupport", crypto, jwt],
            path: "Tests/Unit/ParleyAccountsTests",
            resources: [.copy("Vectors")], swiftSettings: testSettings),
        .testTarget(
            name: "ParleyMessagingTests",
            dependencies: [
                "ParleyMessaging", "ParleyModel", "ParleyAccounts", "ParleyMemory", "ParleySQLite", "ParleyClient",
                "ParleyTestContracts", "ParleyTestSupport", "ParleyBlobs", "ParleyJSON",
                crypto, cryptoExtras, jwt, logging, nioCore, nioPosix, nioHTTP1, nioSSL, nioTLS, nioHTTP2,
            ], path: "Tests/Unit/ParleyMessagingTests",
            swiftSettings: testSettings),
        .testTarget(
            name: "ParleyGatewayTests",
            dependencies: [
                "ParleyGateway", "ParleyMessaging", "ParleyModel", "ParleyWire", "ParleyFanOut", "ParleyAccounts",
                "ParleyMemory",
                "ParleySQLite", "ParleyTestContracts", "ParleyTestSupport", hummingbirdCore, httpTypes, nioCore,
                nioPosix, nioEmbedded,
                nioHTTP1, lifecycle, logging, metrics, metricsTestKit,
            ], path: "Tests/Unit/ParleyGatewayTests",
            swiftSettings: testSettings),
        .testTarget(
            name: "ParleyRESTTests",
            dependencies: [
                "ParleyREST", "ParleyMessaging", "ParleyModel", "ParleyAccounts", "ParleyMemory", "ParleyMetrics",
                "ParleySQLite", "ParleyBlobs", "ParleyPersister", "ParleyTestContracts", "ParleyTestSupport",
                hummingbird, httpTypes, nioCore, logging,
            ], path: "Tests/Unit/ParleyRESTTests",
            swiftSettings: testSettings),
        .testTarget(
            name: "ParleyStorageTests", dependencies: ["ParleyStorage", "ParleyModel", crypto],
            path: "Tests/Unit/ParleyStorageTests", swiftSettings: testSettings),
        .testTarget(
            name: "ParleyPersisterTests",
            dependencies: [
                "ParleyPersister", "ParleyMessaging", "ParleyModel", "ParleyMemory", "ParleySQLite",
                "ParleyTestContracts", "ParleyTestSupport", logging, metrics, metricsTestKit, lifecycle,
                lifecycleTestKit,
            ], path: "Tests/Unit/ParleyPersisterTests",
            swiftSettings: testSettings),
        .testTarget(
            name: "ParleyMemoryTests",
            dependencies: ["ParleyMemory", "ParleyModel", "ParleyTestContracts", "ParleyTestSupport"],
            path: "Tests/Unit/ParleyMemoryTests",
            swiftSettings: testSettings),
        .testTarget(
            name: "ParleyRedisClientTests",
            dependencies: ["ParleyConcurrency", "ParleyRedisClient", "ParleyTestSupport", nioCore],
            path: "Tests/Unit/ParleyRedisClientTests", swiftSettings: testSettings),
        .testTarget(
            name: "ParleyChannelsTests",
            dependencies: ["ParleyChannels", "ParleyModel", "ParleyTestContracts", "ParleyTestSupport", crypto],
            path: "Tests/Unit/ParleyChannelsTests", swiftSettings: testSettings),
        .testTarget(
            name: "ParleyRedisTests",
            dependencies: [
                "ParleyChannels", "ParleyRedis", "ParleyRedisClient", "ParleyModel", "ParleyTestContracts",
                "ParleyTestSupport",
            ], path: "Tests/Unit/ParleyRedisTests", swiftSettings: testSettings),
        .testTarget(
            name: "ParleyDjangoQueuesTests", dependencies: ["ParleyChannels", "ParleyDjangoQueues", "ParleyModel"],
            path: "Tests/Unit/ParleyDjangoQueuesTests", swiftSettings: testSettings),
        // Nodes on Redis or on its model, for the tests of both.
        .target(
            name: "ParleyRedisTestSupport",
            dependencies: [
                "ParleyConcurrency", "ParleyChannels", "ParleyDjangoQueues", "ParleyRedis", "ParleyRedisClient",
                "ParleyRedisModel", "ParleyModel", "ParleyTestContracts", "ParleyTestServers", "ParleyTestSupport",
                nioCore,
                nioPosix, logging, coreMetrics,
            ], path: "Tests/Support/ParleyRedisTestSupport", swiftSettings: settings),
        .testTarget(
            name: "ParleyRedisModelTests",
            dependencies: [
                "ParleyRedisModel", "ParleyRedis", "ParleyModel", "ParleyRedisTestSupport", "ParleyTestContracts",
                nioCore, coreMetrics, logging,
            ], path: "Tests/Unit/ParleyRedisModelTests",
            swiftSettings: testSettings),
        .testTarget(
            name: "ParleySQLiteTests",
            dependencies: [
                "ParleySQLite", "ParleyModel", "ParleyStorage", "ParleyTestContracts", "ParleyTestSupport", grdb,
                sqlite,
            ],
            path: "Tests/Unit/ParleySQLiteTests",
            swiftSettings: testSettings),
        .testTarget(
            name: "ParleyPostgresTests",
            dependencies: ["ParleyPostgres", "ParleyModel", "ParleyTestContracts", "ParleyTestSupport"],
            path: "Tests/Unit/ParleyPostgresTests",
            swiftSettings: testSettings),
        .testTarget(
            name: "ParleyStoreModelTests",
            dependencies: ["ParleyStoreModel", "ParleyStorage", "ParleyModel", "ParleyTestContracts"],
            path: "Tests/Unit/ParleyStoreModelTests",
            swiftSettings: testSettings),
        .testTarget(
            name: "ParleyBlobsTests",
            dependencies: [
                "ParleyBlobs", "ParleyModel", "ParleyTestSupport", nioCore, nioPosix, nioEmbedded, nioHTTP1, nioHTTP2,
                nioHPACK,
            ], path: "Tests/Unit/ParleyBlobsTests",
            swiftSettings: testSettings),
        .testTarget(
            name: "ParleyMetricsTests", dependencies: ["ParleyMetrics", coreMetrics],
            path: "Tests/Unit/ParleyMetricsTests", swiftSettings: testSettings),
        .testTarget(
            name: "ParleyClientCoreTests", dependencies: ["ParleyClientCore", "ParleyJSON", "ParleyTestSupport"],
            path: "Tests/Unit/ParleyClientCoreTests",
            swiftSettings: testSettings),
        .testTarget(
            name: "ParleyBotsTests",
            dependencies: ["ParleyBots", "ParleyClientCore", "ParleyJSON", "ParleyModel", "ParleyTestSupport"],
            path: "Tests/Unit/ParleyBotsTests",
            swiftSettings: testSettings),
        .testTarget(
            name: "ParleyClientTests",
            dependencies: [
                "ParleyClient", "ParleyConformance", "ParleyJSON", "ParleyModel", "ParleyWire", "ParleyTestSupport",
                nioCore,
            ], path: "Tests/Unit/ParleyClientTests",
            swiftSettings: testSettings),
        .testTarget(
            name: "ParleyClientTestingTests",
            dependencies: ["ParleyClient", "ParleyClientTesting", "ParleyTestSupport"],
            path: "Tests/Unit/ParleyClientTestingTests", swiftSettings: testSettings),
        .testTarget(
            name: "ParleyClientObservationTests",
            dependencies: ["ParleyClient", "ParleyClientObservation", "ParleyClientTesting", "ParleyTestSupport"],
            path: "Tests/Unit/ParleyClientObservationTests", swiftSettings: testSettings),
        .testTarget(
            name: "ParleyTerminalTests", dependencies: ["ParleyJSON", "ParleyTerminal", "ParleyTestSupport"],
            path: "Tests/Unit/ParleyTerminalTests", swiftSettings: testSettings),
        .testTarget(
            name: "ParleyConformanceTests",
            dependencies: [
                "ParleyConformance", "ParleyClient", "ParleyJSON", "ParleyModel", "ParleyWire", "ParleyTestSupport",
                nioCore,
                nioEmbedded, nioHTTP1,
            ], path: "Tests/Unit/ParleyConformanceTests",
            swiftSettings: testSettings),
        .testTarget(
            name: "ParleySimulatorTests",
            dependencies: ["ParleyClientCore", "ParleySimulator", "ParleyTestSupport"],
            path: "Tests/Unit/ParleySimulatorTests",
            swiftSettings: testSettings),
        // The decoders of bytes from outside as functions of an input, for libFuzzer (Fuzz) and for the corpus of it.
        .target(
            name: "ParleyFuzzTargets",
            dependencies: [
                "ParleyAccounts", "ParleyChannels", "ParleyClientCore", "ParleyFanOut", "ParleyGateway", "ParleyJSON",
                "ParleyModel", "ParleyREST", "ParleyRedis", "ParleyRedisClient", "ParleySession", "ParleyWire", nioCore,
                nioEmbedded, nioHTTP1,
            ], path: "Tests/Support/ParleyFuzzTargets", swiftSettings: settings),
        .testTarget(
            name: "FuzzCorpusTests", dependencies: ["ParleyFuzzTargets", "ParleyTestSupport"],
            path: "Tests/Unit/FuzzCorpusTests", swiftSettings: testSettings),
        // The rules of the architecture, of the files in deploy/, and of what tests share.
        .testTarget(
            name: "ParleyTests", dependencies: ["ParleyTestSupport"], path: "Tests/Unit/ParleyTests",
            swiftSettings: testSettings),

        // MARK: Integration tests: start real servers, browsers and `parley` itself

        // ParleyRedis against Redis and Sentinel.
        .testTarget(
            name: "RedisIntegrationTests",
            dependencies: [
                "ParleyConcurrency", "ParleyChannels", "ParleyDjangoQueues", "ParleyRedis", "ParleyRedisClient",
                "ParleyRedisModel", "ParleyModel", "ParleyRedisTestSupport",
                "ParleyTestContracts", "ParleyTestServers", "ParleyTestSupport", nioCore, nioPosix, logging,
                coreMetrics,
            ], path: "Tests/Integration/RedisIntegrationTests",
            swiftSettings: testSettings),
        // ParleyPostgres against PostgreSQL.
        .testTarget(
            name: "PostgresIntegrationTests",
            dependencies: [
                "ParleyPostgres", "ParleyModel", "ParleyStorage", "ParleyStoreModel", "ParleyTestContracts",
                "ParleyTestServers", "ParleyTestSupport", coreMetrics,
                logging,
            ], path: "Tests/Integration/PostgresIntegrationTests",
            swiftSettings: testSettings),
        // The whole program as a process on real sockets: clients, crashes, the browser. No test depends on the target
        // "parley": tests are linked with Swift's shared libraries.
        .testTarget(
            name: "ParleyProgramTests",
            dependencies: [
                "ParleyBots", "ParleyClient", "ParleyConformance", "ParleyJSON", "ParleyModel", "ParleyWire",
                "ParleyTestBrowser", "ParleyTestContracts", "ParleyTestServers", "ParleyTestSupport", crypto,
                nioCore, nioPosix,
            ], path: "Tests/Integration/ParleyProgramTests",
            swiftSettings: testSettings),
        // A cluster of real processes under load, while parts of it are killed, cut off and restarted.
        .testTarget(
            name: "FaultTests",
            dependencies: [
                "ParleyBots", "ParleyPostgres", "ParleyTestBrowser", "ParleyTestServers", "ParleyTestSupport", crypto,
            ],
            path: "Tests/Integration/FaultTests",
            swiftSettings: testSettings),
    ]
)

// PARLEY_ONLY=ParleyWire leaves only that target, its tests, and the targets that these need. `make check` uses it: SwiftPM
// then plans and compiles a fraction of the package.
if let only = Context.environment["PARLEY_ONLY"] {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var needed: Set<String> = []
    var open = [only, only + "Tests"].filter { targets[$0] != nil }
    while let name = open.popLast() {
        guard needed.insert(name).inserted else { continue }
        for dependency in targets[name]?.dependencies ?? [] {
            if case .byNameItem(let name, _) = dependency { open.append(name) }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}
