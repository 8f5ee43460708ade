import Foundation
import ParleyTestSupport
import Testing

/// The rules of the architecture: which target may depend on which, as the folders and the picture
/// in docs/ARCHITECTURE.md show.
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

    /// The targets that start a server, a browser or `parley`.
    static let starters: Set = ["ParleyTestServers", "ParleyTestBrowser"]

    /// The one file of the pure targets that reads a clock: it defines the system clock as a value for everybody else.
    static let systemClock = "WallClock.swift"

    /// The targets that consist of values.
    static let pure = [
        "ParleyJSON", "ParleyModel", "ParleyWire", "ParleySession", "ParleyStorage", "ParleyClientCore",
        "ParleyTerminal",
    ]

    private let manifest: PackageManifest

    private let picture: ArchitecturePicture

    init() throws {
        manifest = try PackageManifest()
        picture = try ArchitecturePicture()
        try #require(manifest.targets.count > 10, "Package.swift is not understood")
    }

    @Test("the picture has the folders with their targets, and the dependencies between folders, no more and no fewer")
    func dependencies() throws {
        let groups = Dictionary(grouping: manifest.targets, by: \.group)
        #expect(picture.groups.count <= 12)
        #expect(Set(groups.keys).isSubset(of: picture.groups.keys))
        for (group, targets) in groups {
            #expect(picture.groups[group] == Set(targets.map(\.name)), "\(group)")
            var arrows: Set<String> = []
            for name in targets.flatMap(\.dependencies) {
                let path = try Repository.path(inTarget: name)
                arrows.insert(String(path.split(separator: "/")[1]))
            }
            #expect(arrows.subtracting([group]) == picture.arrows[group, default: []], "\(group)")
        }
    }

    @Test("the arrows between folders have no circle, the core depends on no other Swift, and nothing on the program")
    func layers() {
        var left = picture.arrows
        while let free = left.first(where: { $0.value.isDisjoint(with: left.keys) }) { left[free.key] = nil }
        #expect(left.isEmpty, "in a circle: \(left.keys.sorted())")
        #expect(picture.arrows["Core"] == ["Shims"])
        #expect(picture.arrows["Client"] == ["Core"])
        #expect(!picture.arrows.values.joined().contains("Program"))
    }

    @Test("each source file imports only what its target depends on, so that builds after changes compile it")
    func imports() throws {
        let all = manifest.targets + manifest.tests
        try #require(manifest.tests.count > 20)
        let names = Set(all.map(\.name))
        for target in all {
            for file in manifest.sources(in: target.path) {
                let missing = try manifest.imports(of: file).intersection(names)
                    .subtracting(target.dependencies).subtracting([target.name])
                #expect(missing.isEmpty, "\(target.name) imports \(missing)")
            }
        }
    }

    @Test("only the program, the simulator, the model of Redis, which has the scripts, and those on Redis see adapters")
    func adaptersAreHidden() throws {
        let adapters = Set(manifest.targets.filter { $0.group == "Adapters" }.map(\.name))
        try #require(adapters.count > 3)
        let seeing = ["parley", "ParleyRedisModel", "ParleySimulator", "ParleyRedis", "ParleyDjangoQueues"]
        for target in manifest.targets where !seeing.contains(target.name) {
            #expect(target.dependencies.isDisjoint(with: adapters), "\(target.name)")
            #expect(try manifest.imports(of: target.name).isDisjoint(with: adapters), "\(target.name)")
        }
        let onRedis: Set = ["ParleyRedisClient", "ParleyChannels", "ParleyRedis"]
        for target in manifest.targets where target.name == "ParleyRedis" || target.name == "ParleyDjangoQueues" {
            #expect(target.dependencies.intersection(adapters).isSubset(of: onRedis), "\(target.name)")
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
        for target in Self.pure {
            for file in try manifest.sources(of: target) where file.lastPathComponent != Self.systemClock {
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
        for name in ["ParleyClientObservation", "ParleyClientTesting"] {
            let product = manifest.targets.first { $0.name == name }
            #expect(product?.dependencies.isSubset(of: ["ParleyClient", "ParleyClientCore", "ParleyJSON"]) == true)
            #expect(product?.products.isEmpty == true, "\(name)")
        }
    }

    @Test("each target says in a line what it is for, and has a folder of its name and a test target")
    func purposes() throws {
        for target in manifest.targets {
            #expect(target.purpose != nil, "\(target.name)")
            #expect(target.path == "Sources/\(target.group)/\(target.name)")
            #expect(!manifest.sources(in: target.path).isEmpty, "\(target.name)")
            let programs = ["parley": "ParleyProgramTests", "parley-sim": "ParleySimulatorTests"]
            let tests = programs[target.name] ?? "\(target.name)Tests"
            #expect(try !manifest.sources(of: tests).isEmpty, "\(tests)")
        }
        let groups = Set(picture.groups.keys)
        #expect(Set(try Self.folders(in: "Sources")) == groups)
        for group in Set(manifest.targets.map(\.group)) {
            let known = manifest.targets.filter { $0.group == group }.map(\.name)
            #expect(try Set(Self.folders(in: "Sources/\(group)")) == Set(known), "\(group)")
        }
    }

    @Test("unit tests start no server beside their own process")
    func unitTests() throws {
        let makefile = try Repository.text("Makefile")
        #expect(makefile.contains("--skip '^(\(Self.integrationTests.joined(separator: "|")))\\.'"))
        #expect(try Set(Self.folders(in: "Tests/Integration")) == Set(Self.integrationTests))
        let files = manifest.sources(in: "Tests/Unit")
        #expect(files.count > 100)
        for file in files {
            #expect(try manifest.imports(of: file).isDisjoint(with: Self.starters), "\(file.lastPathComponent)")
        }
    }

    /// The names of the folders in a folder.
    private static func folders(in path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Repository.url(path).path())
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
}
