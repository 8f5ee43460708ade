import Foundation
import Testing

/// The rules of the house: which room may know which.
@Suite struct ArchitectureTests {
    /// What each room may import of ours. A new room is entered here with its reason in docs/ARCHITECTURE.md.
    static let mayImport: [String: Set<String>] = [
        "ParleyJSON": [],
        "ParleyConcurrency": [],
        "ParleyModel": ["ParleyJSON"],
        "ParleyWire": ["ParleyJSON", "ParleyModel"],
        "ParleySession": ["ParleyModel", "ParleyWire"],
        "ParleyFanOut": ["ParleyModel", "ParleyWire"],
        "ParleyAccounts": ["ParleyConcurrency", "ParleyJSON", "ParleyModel"],
        "ParleyMessaging": ["ParleyConcurrency", "ParleyModel", "ParleyAccounts"],
        "ParleySockets": [],
        "ParleyGateway": [
            "ParleyJSON", "ParleyModel", "ParleyWire", "ParleySession", "ParleyFanOut", "ParleyAccounts",
            "ParleyMessaging", "ParleySockets",
        ],
        "ParleyREST": [
            "ParleyConcurrency", "ParleyJSON", "ParleyModel", "ParleyWire", "ParleyAccounts", "ParleyMessaging",
        ],
        "ParleyPersister": ["ParleyConcurrency", "ParleyModel", "ParleyMessaging"],
        "ParleyRedis": ["ParleyConcurrency", "ParleyJSON", "ParleyModel"],
        "ParleyStorage": ["ParleyModel"],
        "ParleyPostgres": ["ParleyConcurrency", "ParleyModel", "ParleyStorage"],
        "ParleySQLite": ["ParleyJSON", "ParleyModel", "ParleyStorage"],
        "ParleyMemory": ["ParleyModel"],
        "ParleyMetrics": [],
        "ParleyClient": ["ParleyModel", "ParleyWire"],
        "ParleyBots": ["ParleyJSON", "ParleyModel", "ParleyWire", "ParleySockets"],
    ]

    /// Rooms that only the program may see.
    static let adapters: Set = ["ParleyRedis", "ParleyPostgres", "ParleySQLite", "ParleyMemory", "ParleyMetrics"]

    /// Rooms without sockets, clocks and databases, and the modules that would bring those in.
    static let pure: Set = [
        "ParleyJSON", "ParleyConcurrency", "ParleyModel", "ParleyWire", "ParleySession", "ParleyFanOut",
        "ParleyStorage",
    ]
    static let impure: Set = [
        "NIOPosix", "NIOHTTP1", "NIOWebSocket", "Hummingbird", "HummingbirdCore", "GRDB", "ServiceLifecycle",
        "Dispatch",
        "Foundation", "FoundationNetworking",
    ]

    /// System libraries behind a module map, and C sources; they are no rooms.
    static let libraries: Set = ["CZlib", "CHiredis", "CPostgres", "CEpoll", "CVersion"]

    private let manifest: PackageManifest

    init() throws {
        manifest = try PackageManifest()
        try #require(manifest.targets.count > 10, "Package.swift is not understood")
    }

    @Test("each target depends on the rooms it may import and no others")
    func dependencies() {
        for target in manifest.targets where target.name != "parley" {
            let ours = target.dependencies.subtracting(Self.libraries)
            #expect(ours == Self.mayImport[target.name], "\(target.name)")
        }
    }

    @Test("each source file imports only what its target depends on")
    func imports() throws {
        let rooms = Set(manifest.targets.map(\.name))
        for target in manifest.targets {
            let ours = try manifest.imports(of: target.name).intersection(rooms)
            #expect(ours.isSubset(of: target.dependencies), "\(target.name) imports \(ours)")
        }
    }

    @Test("only the program sees adapters")
    func adaptersAreHidden() throws {
        for target in manifest.targets where target.name != "parley" {
            #expect(target.dependencies.isDisjoint(with: Self.adapters), "\(target.name)")
            #expect(try manifest.imports(of: target.name).isDisjoint(with: Self.adapters), "\(target.name)")
        }
        let program = manifest.targets.first { $0.name == "parley" }
        #expect(program?.dependencies.isSuperset(of: ["ParleySQLite", "ParleyMemory"]) == true)
    }

    @Test("the arrows have no circle")
    func acyclic() {
        var left = Dictionary(uniqueKeysWithValues: manifest.targets.map { ($0.name, $0.dependencies) })
        let names = Set(left.keys)
        while let free = left.first(where: { $0.value.isDisjoint(with: names.intersection(left.keys)) }) {
            left[free.key] = nil
        }
        #expect(left.isEmpty, "in a circle: \(left.keys.sorted())")
    }

    @Test("pure rooms know no socket, no clock, no database")
    func purity() throws {
        for room in Self.pure {
            let found = try manifest.imports(of: room).intersection(Self.impure)
            #expect(found.isEmpty, "\(room) imports \(found)")
        }
    }

    @Test("each target says in a line what it is for, and has a folder of its name and a test target")
    func purposes() throws {
        let files = FileManager.default
        for target in manifest.targets {
            #expect(target.purpose != nil, "\(target.name)")
            #expect(!manifest.sources(in: "Sources/\(target.name)").isEmpty, "\(target.name)")
            let tests = target.name == "parley" ? "ParleyTests" : "\(target.name)Tests"
            #expect(!manifest.sources(in: "Tests/\(tests)").isEmpty, "\(tests)")
        }
        let folders = try files.contentsOfDirectory(atPath: manifest.root.appending(path: "Sources").path())
        let known = Set(manifest.targets.map(\.name)).union(Self.libraries)
        #expect(Set(folders).isSubset(of: known), "\(Set(folders).subtracting(known))")
    }

    @Test("no source file is longer than 400 lines")
    func length() throws {
        for file in manifest.sources(in: "Sources") + manifest.sources(in: "Tests") {
            let lines = try String(contentsOf: file, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= 401, "\(file.lastPathComponent) has \(lines.count)")
        }
    }

    @Test("the first screen of the README shows the two commands, running before testing")
    func readme() throws {
        let text = try String(contentsOf: manifest.root.appending(path: "README.md"), encoding: .utf8)
        let screen = text.split(separator: "\n", omittingEmptySubsequences: false).prefix(24).joined(separator: "\n")
        let run = try #require(screen.firstRange(of: "make run"))
        let test = try #require(screen.firstRange(of: "make test"))
        #expect(run.lowerBound < test.lowerBound)
        let makefile = try String(contentsOf: manifest.root.appending(path: "Makefile"), encoding: .utf8)
        for command in ["\nrun:", "\ntest:"] { #expect(makefile.contains(command), "\(command)") }
    }

    @Test("every relative link in the papers leads to a file")
    func links() throws {
        for paper in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/ARCHITECTURE.md", "docs/PROTOCOL.md"] {
            let url = manifest.root.appending(path: paper)
            for match in try String(contentsOf: url, encoding: .utf8).matches(of: /\]\(([^)#]+)/) {
                let target = String(match.1)
                guard !target.contains("://") else { continue }
                let path = url.deletingLastPathComponent().appending(path: target).path()
                #expect(FileManager.default.fileExists(atPath: path), "\(paper): \(target)")
            }
        }
    }
}
