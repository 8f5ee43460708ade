// swift-tools-version: 6.2
import PackageDescription

// Views for a chat, an app of them, and tests of an app's own code with ParleyClientTesting. For iOS 17 and macOS 14, since
// the views observe the models of ParleyClientObservation; ParleyClient itself needs iOS 16 or macOS 13.
let package = Package(
    name: "chat-views",
    platforms: [.macOS(.v14), .iOS(.v17)],
    products: [.library(name: "ChatViews", targets: ["ChatViews"])],
    dependencies: [.package(name: "parley", path: "../..", traits: [])],
    targets: [
        .target(
            name: "ChatViews",
            dependencies: [
                .product(name: "ParleyClient", package: "parley"),
                .product(name: "ParleyClientObservation", package: "parley"),
            ]),
        .executableTarget(
            name: "ChatApp",
            dependencies: ["ChatViews", .product(name: "ParleyClientTesting", package: "parley")]),
        .testTarget(
            name: "ChatViewsTests",
            dependencies: ["ChatViews", .product(name: "ParleyClientTesting", package: "parley")]),
    ]
)
