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

        .target(name: "ParleyClientCore", dependencies: ["ParleyJSON"], swiftSettings: settings),

        // What reads replies of Redis, and payloads of Django; nothing that needs a connection or a key.
        .target(
            name: "ParleyRedisClient", dependencies: ["CHiredis", nioCore], sources: ["Wire"], swiftSettings: settings),
        .target(
            name: "ParleyChannels", dependencies: ["ParleyJSON", "ParleyModel", crypto],
            sources: [
                "ChannelsSettings.swift", "Events/AdoptedTypes.swift", "Events/ChannelsValue+JSON.swift",
                "Events/EventBody.swift",
                "Events/EventPayload.swift", "Events/EventWriter.swift", "Events/ForeignJSONWriter.swift",
                "Events/ForeignPayload.swift", "Events/PlacedToken.swift", "Events/SignalPayload.swift",
                "Queues/QueueCapacities.swift", "Queues/QueueLayerSettings.swift",
                "Serializers/ChannelsCodecError.swift", "Serializers/ChannelsValue.swift",
                "Serializers/MessagePackReader.swift", "Serializers/MessagePackWriter.swift",
                "Serializers/PythonJSONReader.swift", "Serializers/PythonJSONWriter.swift",
            ],
            swiftSettings: settings),

        .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
        .systemLibrary(name: "CHiredis"),

        // libFuzzer's driver, which comes with the compiler.
        .target(name: "CLibFuzzer"),

        .executableTarget(
            name: "fuzz",
            dependencies: [
                "ParleyClientCore", "ParleyJSON", "ParleyModel", "ParleyWire", "ParleyChannels", "ParleyRedisClient",
                "CLibFuzzer", nioCore,
            ],
            swiftSettings: settings,
            // The system's gold cannot read the debug information of the sanitizers.
            linkerSettings: [.unsafeFlags(sanitizers + ["-use-ld=lld"])]),
    ]
)
