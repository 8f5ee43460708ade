// swift-tools-version: 6.2
import PackageDescription

// The decoders of bytes from outside, under libFuzzer and AddressSanitizer. `make fuzz` builds and runs it.
//
// A package of its own: its flags are unsafe for others, and everything is compiled again with them. `Sources` has links
// to the targets of Parley, so that they share a package and its `package` declarations, and only what is needed is built.

/// What finds new paths and bad accesses. Only Parley's code has it, not swift-nio.
let sanitizers = ["-sanitize=fuzzer,address"]

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
    .unsafeFlags(sanitizers),
]

let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")

let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    ],
    targets: [
        .target(name: "ParleyJSON", swiftSettings: settings),
        .target(name: "ParleyModel", dependencies: ["ParleyJSON"], swiftSettings: settings),
        .target(
            name: "ParleyWire", dependencies: ["ParleyJSON", "ParleyModel", "CZlib", nioCore], swiftSettings: settings),

        .target(
            name: "ParleySession", dependencies: ["ParleyModel", "ParleyWire", nioCore], swiftSettings: settings),
        .target(name: "ParleyClientCore", dependencies: ["ParleyJSON"], swiftSettings: settings),

        // Of these targets what reads bytes or takes what was read, without what needs a connection or another package.
        .target(
            name: "ParleyFanOut", dependencies: ["ParleyModel", "ParleyWire", nioCore],
            exclude: ["Hub/HubDriver.swift", "Hub/RetryingLog.swift"], sources: ["Hub"], swiftSettings: settings),
        .target(
            name: "ParleyGateway", dependencies: [nioCore, nioHTTP1], sources: ["HTTP/RequestDecoder.swift"],
            swiftSettings: settings),
        .target(
            name: "ParleyREST", dependencies: ["ParleyModel", nioCore],
            sources: [
                "Import/ImportLineSplitter.swift", "Input/ByteRange.swift", "Input/FormDecoder.swift",
                "Input/Timestamp.swift",
            ], swiftSettings: settings),
        .target(
            name: "ParleyAccounts", dependencies: ["ParleyJSON", "ParleyModel", "CZlib"],
            sources: [
                "Address", "Credentials/AuthorizationHeader.swift", "Credentials/CookieHeader.swift",
                "Credentials/Origin.swift", "Django/DjangoSessionData.swift", "JWT/JOSEObject.swift",
                "JWT/JWTClaims.swift", "JWT/OperatorClaim.swift", "Passwords/StoredPassword.swift",
                "Tokens/Base64URL.swift", "Tokens/Ticket.swift",
            ], swiftSettings: settings),
        .target(
            name: "ParleyRedisClient", dependencies: ["ParleyModel", "CHiredis", nioCore],
            sources: ["Wire", "Connection/RedisError.swift", "Connection/ServerIncarnation.swift"],
            swiftSettings: settings, linkerSettings: [.linkedLibrary("hiredis")]),
        .target(
            name: "ParleyRedis", dependencies: ["ParleyChannels", "ParleyModel", "ParleyRedisClient"],
            sources: ["Log/AppendReply.swift", "Log/PackedHead.swift", "Log/StreamEntry.swift"],
            swiftSettings: settings),
        .target(
            name: "ParleyChannels", dependencies: ["ParleyJSON", "ParleyModel", crypto, cryptoExtras],
            sources: [
                "ChannelsSettings.swift", "Events", "Serializers", "Queues/Fernet+Age.swift",
                "Queues/QueueCapacities.swift", "Queues/QueueLayerSettings.swift", "Queues/QueueMember.swift",
            ],
            swiftSettings: settings),

        .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
        .systemLibrary(name: "CHiredis"),

        // libFuzzer's driver, which comes with the compiler.
        .target(name: "CLibFuzzer"),

        .target(
            name: "ParleyFuzzTargets",
            dependencies: [
                "ParleyAccounts", "ParleyChannels", "ParleyClientCore", "ParleyFanOut", "ParleyGateway", "ParleyJSON",
                "ParleyModel", "ParleyREST", "ParleyRedis", "ParleyRedisClient", "ParleySession", "ParleyWire", nioCore,
                nioEmbedded, nioHTTP1,
            ], swiftSettings: settings),
        .executableTarget(
            name: "fuzz", dependencies: ["ParleyFuzzTargets", "CLibFuzzer"], swiftSettings: settings,
            // The system's gold cannot read the debug information of the sanitizers.
            linkerSettings: [.unsafeFlags(sanitizers + ["-use-ld=lld"])]),
    ]
)
