// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "echo-bot",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "parley", path: "../../..", traits: [])],
    targets: [
        .executableTarget(
            name: "EchoBot", dependencies: [.product(name: "ParleyClient", package: "parley")],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
