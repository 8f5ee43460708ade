import Foundation
import ParleyTestSupport
import Testing

/// The rules of the architecture: which target may depend on which, as the picture in docs/ARCHITECTURE.md shows.
@Suite struct ArchitectureTests {
    /// What a pure target must not import.
    static let impure: Set = [
        "NIOPosix", "NIOHTTP1", "NIOWebSocket", "Hummingbird", "HummingbirdCore", "GRDB", "ServiceLifecycle",
        "Dispatch", "Foundation", "FoundationNetworking", "Glibc", "Musl", "Darwin",
    ]

    /// What a pure target must not call: sleeps, timers and clocks.
    static let timeCalls = [
        "Task.sleep", "scheduleTask", "scheduleRepeated", "ContinuousClock", "SuspendingClock", "clock_gettime",
        "gettimeofday", "NIODeadline.now", "setrlimit",
    ]

    /// The targets whose tests start servers; `make test-unit` runs all others.
    static let integrationTests = [
        "RedisIntegrationTests", "PostgresIntegrationTests", "ParleyProgramTests", "FaultTests",
    ]

    /// What starts a server, a browser or `parley`.
    static let serverStarts = [
        "ParleyProcess.", "ParleyBinary.", "RedisServer.", "RedisSentinel.", "PostgresServer.", "PostgresTestDatabase.",
        "HAProxy.", "Chromium.", "WebDriver.", "TCPProxy.",
    ]

    /// The one file of the pure targets that reads a clock: it defines the system clock as a value for everybody else.
    static let systemClock = "WallClock.swift"

    /// System libraries behind a module map, and C sources.
    static let libraries: Set = ["CZlib", "CHiredis", "CPostgres", "CEpoll", "CPriority", "CVersion", "CWebClient"]

    private let manifest: PackageManifest

    private let picture: ArchitecturePicture

    init() throws {
        manifest = try PackageManifest()
        picture = try ArchitecturePicture()
        try #require(manifest.targets.count > 10, "Package.swift is not understood")
    }

    @Test("the picture has the targets of Package.swift and their dependencies, no more and no fewer")
    func dependencies() {
        #expect(Set(picture.groups.values.joined()) == Set(manifest.targets.map(\.name)))
        for target in manifest.targets {
            let ours = target.dependencies.subtracting(Self.libraries)
            #expect(ours == picture.arrows[target.name, default: []], "\(target.name)")
        }
    }

    @Test("each source file imports only what its target depends on")
    func imports() throws {
        let names = Set(manifest.targets.map(\.name))
        for target in manifest.targets {
            let ours = try manifest.imports(of: target.name).intersection(names)
            #expect(ours.isSubset(of: target.dependencies), "\(target.name) imports \(ours)")
        }
    }

    @Test("only the program sees adapters")
    func adaptersAreHidden() throws {
        let adapters = try #require(picture.groups["adapters"])
        for target in manifest.targets where target.name != "parley" {
            #expect(target.dependencies.isDisjoint(with: adapters), "\(target.name)")
            #expect(try manifest.imports(of: target.name).isDisjoint(with: adapters), "\(target.name)")
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

    @Test("pure targets have no socket, no sleep, no timer, no clock and no database")
    func purity() throws {
        for target in try #require(picture.groups["pure"]) {
            for file in manifest.sources(in: "Sources/\(target)") where file.lastPathComponent != Self.systemClock {
                let imports = try manifest.imports(of: file).intersection(Self.impure)
                #expect(imports.isEmpty, "\(file.lastPathComponent) imports \(imports)")
                let text = try String(contentsOf: file, encoding: .utf8)
                let calls = Self.timeCalls.filter { text.contains($0) }
                #expect(calls.isEmpty, "\(file.lastPathComponent) calls \(calls)")
            }
        }
    }

    @Test("the client core needs nothing but JSON, and the client library no other target: apps are built from them")
    func clientCore() throws {
        #expect(try manifest.imports(of: "ParleyClientCore") == ["ParleyJSON"])
        let names = Set(manifest.targets.map(\.name))
        let library = manifest.targets.first { $0.name == "ParleyClient" }
        #expect(library?.dependencies.intersection(names) == ["ParleyClientCore", "ParleyJSON"])
    }

    @Test("each target says in a line what it is for, and has a folder of its name and a test target")
    func purposes() throws {
        let files = FileManager.default
        for target in manifest.targets {
            #expect(target.purpose != nil, "\(target.name)")
            #expect(!manifest.sources(in: "Sources/\(target.name)").isEmpty, "\(target.name)")
            let tests = target.name == "parley" ? "ParleyProgramTests" : "\(target.name)Tests"
            #expect(!manifest.sources(in: "Tests/\(tests)").isEmpty, "\(tests)")
        }
        let folders = try files.contentsOfDirectory(atPath: Repository.url("Sources").path())
        let known = Set(manifest.targets.map(\.name)).union(Self.libraries)
        #expect(Set(folders).isSubset(of: known), "\(Set(folders).subtracting(known))")
    }

    @Test("unit tests start no server beside their own process")
    func unitTests() throws {
        let makefile = try Repository.text("Makefile")
        #expect(makefile.contains("--skip '^(\(Self.integrationTests.joined(separator: "|")))\\.'"))
        let folders = try FileManager.default.contentsOfDirectory(atPath: Repository.url("Tests").path())
        let targets = folders.filter { $0.hasSuffix("Tests") && !Self.integrationTests.contains($0) }
        #expect(targets.count > 10)
        for file in targets.flatMap({ manifest.sources(in: "Tests/\($0)") })
        where file.lastPathComponent != "ArchitectureTests.swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            let starts = Self.serverStarts.filter { text.contains($0) }
            #expect(starts.isEmpty, "\(file.lastPathComponent): \(starts)")
        }
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
        let text = try Repository.text("README.md")
        let screen = text.split(separator: "\n", omittingEmptySubsequences: false).prefix(24).joined(separator: "\n")
        let run = try #require(screen.firstRange(of: "make run"))
        let test = try #require(screen.firstRange(of: "make test"))
        #expect(run.lowerBound < test.lowerBound)
        let makefile = try Repository.text("Makefile")
        for command in ["\nrun:", "\ntest:"] { #expect(makefile.contains(command), "\(command)") }
    }

    @Test("every source file or folder that a document names is there")
    func namedFiles() throws {
        for document in ["CONTRIBUTING.md", "docs/ARCHITECTURE.md"] {
            let names = try Repository.text(document).matches(of: /`((?:Parley\w+|parley)\/[\w\/+]+(?:\.\w+)?)`/)
            #expect(!names.isEmpty, "\(document)")
            for name in Set(names.map { String($0.1) }) {
                let places = ["Sources", "Tests"].map { Repository.url("\($0)/\(name)").path() }
                #expect(places.contains { FileManager.default.fileExists(atPath: $0) }, "\(document): \(name)")
            }
        }
    }

    @Test("every relative link in the documents leads to a file")
    func links() throws {
        for document in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/ARCHITECTURE.md", "docs/PROTOCOL.md"] {
            let url = Repository.url(document)
            for match in try String(contentsOf: url, encoding: .utf8).matches(of: /\]\(([^)#]+)/) {
                let target = String(match.1)
                guard !target.contains("://") else { continue }
                let path = url.deletingLastPathComponent().appending(path: target).path()
                #expect(FileManager.default.fileExists(atPath: path), "\(document): \(target)")
            }
        }
    }
}
