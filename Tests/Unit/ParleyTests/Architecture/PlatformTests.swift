import Foundation
import ParleyTestSupport
import Testing

/// What ParleyClient consists of builds for iOS 16 and macOS 13, as far as Linux can tell; see
/// docs/decisions/064-older-systems-for-the-client.md.
@Suite struct PlatformTests {
    /// The modules that these targets may import for Apple's systems, which older systems have or the package contains.
    private static let modules: Set = [
        "Dispatch", "Foundation", "GRDB", "Logging", "ParleyClient", "ParleyClientCore", "ParleyJSON",
    ]

    /// A line for each ``NewerAPI`` that uses it.
    private static let uses = [
        ("types with a parameter pack", "struct Joined<each Part: Sendable> {"),
        ("functions with typed throws as values", "private let check: (Int) throws(ChatError) -> Void"),
        ("@isolated(any)", "func run(_ body: @isolated(any) () -> Void)"),
        ("isolated deinit", "isolated deinit {"),
        ("types with a value in angle brackets", "struct Ring<let count: Int> {"),
        ("StaticBigInt", "init(integerLiteral value: StaticBigInt) {"),
        ("Int128", "let sum = UInt128(a) + 1"),
        ("Duration in attoseconds", "let wait = Duration(attoseconds: 1)"),
        ("Duration.nanoseconds of a Double", "wait = .nanoseconds(Double(count))"),
        ("RangeSet", "items.removeSubranges(items.indices(where: { $0.isOld }))"),
        ("String(validating:as:)", "let text = String(validating: bytes, as: UTF8.self)"),
        ("enumerated() as a collection", "let last = items.enumerated().last"),
        ("InlineArray", "var bytes: [16 of UInt8]"),
        ("UTF8Span", "let span = text.utf8Span"),
        ("Mutex and Atomic", "private let state = Mutex(State())"),
        ("Observation", "@Observable final class Model {"),
        ("next(isolation:)", "public mutating func next(isolation: isolated (any Actor)?) async -> Value? {"),
        ("AsyncSequence with a failure", "func states() -> some AsyncSequence<State, Never> {"),
        ("task executors", "Task(executorPreference: queue) { await run() }"),
        ("ExecutorJob", "func enqueue(_ job: consuming ExecutorJob) {"),
        ("executors with equality", "UnownedSerialExecutor(complexEquality: self)"),
        ("a call of checkIsolated()", "executor.checkIsolated()"),
        ("discarding task groups", "await withDiscardingTaskGroup { group in"),
        ("immediate tasks, names and priorities of running tasks", "Task.immediate { await run() }"),
        ("Predicate", "let recent = #Predicate<ChatThread> { $0.unread > 0 }"),
        ("Expression", "let size = #Expression<ChatFile, Int> { $0.size }"),
        ("URL(string:encodingInvalidCharacters:)", "URL(string: text, encodingInvalidCharacters: false)"),
        ("resumable uploads of URLSession", "session.uploadTask(withResumeData: data)"),
        (
            "informational responses and body streams from an offset",
            "func urlSession(_: URLSession, task: URLSessionTask, didReceiveInformationalResponse: HTTPURLResponse) {"
        ),
        ("proxyConfigurations", "configuration.proxyConfigurations = []"),
        ("usesClassicLoadingMode", "configuration.usesClassicLoadingMode = false"),
        ("DispatchSerialQueue as an executor", "let queue = DispatchSerialQueue(label: label)"),
        ("coding with a configuration", "try decoder.decode(Chat.self, from: data, configuration: limits)"),
        ("recurrence rules and sequences of dates", "calendar.dates(byAdding: .day, startingAt: date)"),
        ("format styles of system clocks", "let style: Date.AnchoredRelativeFormatStyle"),
        ("HTTP dates", "date.formatted(Date.HTTPFormatStyle())"),
        ("messages of NotificationCenter", "struct Changed: NotificationCenter.MainActorMessage {"),
    ]

    private let finder: NewerAPIFinder

    init() throws { finder = try NewerAPIFinder() }

    /// The products of apps: the library, and what they add to views and tests.
    private static let products = ["ParleyClient", "ParleyClientObservation", "ParleyClientTesting"]

    /// The targets of this package that products consist of.
    private static func targets(of products: [String]) throws -> Set<String> {
        let manifest = try PackageManifest()
        var found: Set<String> = []
        var left = products
        while let name = left.popLast() {
            guard found.insert(name).inserted else { continue }
            left += manifest.targets.first { $0.name == name }?.dependencies ?? []
        }
        return found
    }

    @Test("the package declares the oldest systems, and ParleyClient consists of three targets")
    func declared() throws {
        #expect(try Repository.text("Package.swift").contains("platforms: [.macOS(.v13), .iOS(.v16)],"))
        #expect(try Self.targets(of: ["ParleyClient"]) == ["ParleyClient", "ParleyClientCore", "ParleyJSON"])
        #expect(try Self.targets(of: Self.products).count == 5)
        for document in ["docs/clients.md", "Sources/Client/ParleyClient/Documentation.docc/ParleyClient.md"] {
            #expect(try Repository.text(document).contains("iOS 16 and macOS 13"), "\(document)")
        }
    }

    @Test("for Apple's systems, it imports no module that newer systems added, and uses no newer API outside a guard")
    func sources() throws {
        let manifest = try PackageManifest()
        var count = 0
        for target in try Self.targets(of: Self.products) {
            for file in try manifest.sources(of: target) {
                let name = file.lastPathComponent
                for line in AppleSource(try String(contentsOf: file, encoding: .utf8)).lines {
                    count += 1
                    if let module = line.text.firstMatch(of: /^(?:@\w+ +)*(?:\w+ +)?import +(\w+)$/)?.1 {
                        // Apps link this product only if they use it, and its types are guarded below.
                        let isKnown = module == "Observation" && target == "ParleyClientObservation"
                        let isAllowed = isKnown || Self.modules.contains(String(module))
                        #expect(isAllowed, "\(name):\(line.number) imports \(module)")
                        if isKnown { continue }
                    }
                    for api in try finder.uses(in: line) {
                        Issue.record("\(name):\(line.number) uses \(api)")
                    }
                }
            }
        }
        #expect(count > 5_000)
    }

    @Test("each API of the list is found", arguments: uses)
    func found(api: String, code: String) throws {
        let line = try #require(AppleSource(code).lines.first)
        #expect(try finder.uses(in: line).contains { $0.name == api })
    }

    @Test("each API of the list is newer than the oldest systems, and has an example")
    func list() {
        #expect(Set(NewerAPI.all.map(\.name)) == Set(Self.uses.map(\.0)))
        for api in NewerAPI.all { #expect(api.macOS > AppleSource.oldest && api.iOS > 16, "\(api)") }
    }

    @Test("a guard allows the API within its declaration or block, and only up to its version")
    func guards() throws {
        let text = """
            #if os(Linux)
                let a = Mutex(0)
            #else
                let b = Mutex(0)  // line 4
            #endif
            @available(macOS 15, iOS 18, *)
            @inline(never)
            func c() -> Int {
                let c = Mutex(0)
            }
            let d = Mutex(0)  // line 11
            @available(macOS 14, iOS 17, *)
            let e = Mutex(0)  // line 13
            if #available(macOS 15, iOS 18, *) { f(Mutex(0)) } else {
                f(Mutex(0))  // line 15
            }
            // Mutex(0)
            let g = "Mutex(0)"
            #if !os(Linux) || PARLEY_URLSESSION
                let h = Mutex(0)  // line 20
            #endif
            """
        let used = try AppleSource(text).lines.filter { try !finder.uses(in: $0).isEmpty }
        #expect(used.map(\.number) == [4, 11, 13, 15, 20])
    }

    @Test("no type that the toolchain's standard library has only for newer systems is missing in the list")
    func standardLibrary() throws {
        for module in ["Swift", "_Concurrency", "_StringProcessing"] {
            guard let text = try Toolchain.interface(of: module) else { continue }
            let newer = Toolchain.types(in: text, newerThan: AppleSource.oldest)
            #expect(module == "_StringProcessing" || newer.count > 3, "the interface of \(module) is not understood")
            for name in newer {
                let line = AppleSource.Line(number: 0, text: "let value: \(name)", macOS: AppleSource.oldest)
                #expect(try !finder.uses(in: line).isEmpty, "\(module).\(name)")
            }
        }
    }

    @Test("the transport on URLSession compiles with FoundationNetworking, without a warning", .timeLimit(.minutes(2)))
    func urlSession() async throws {
        let client = "Sources/Client/ParleyClient"
        let files = [
            "\(client)/Transport/URLSessionTransport.swift", "\(client)/Transport/ChatTransport.swift",
            "\(client)/Transport/IncomingEvents.swift", "\(client)/Engine/Locked.swift",
            "\(client)/API/ChatError.swift", "Sources/Client/ParleyClientCore/Model/ServerErrorCode.swift",
        ]
        let directory = try TemporaryDirectory()
        let output = directory.path + "/compiler"
        let compiler = try await ChildProcess.start(
            "swiftc",
            [
                "-typecheck", "-swift-version", "6", "-package-name", "parley", "-DPARLEY_URLSESSION",
                "-enable-upcoming-feature", "ExistentialAny", "-enable-upcoming-feature", "MemberImportVisibility",
                "-enable-upcoming-feature", "InternalImportsByDefault", "-warnings-as-errors",
            ] + files, environment: ProcessInfo.processInfo.environment, in: Repository.path, output: output)
        let end = try await compiler.exit(within: .seconds(90))
        #expect(end == .exited(0), "\((try? String(contentsOfFile: output, encoding: .utf8)) ?? "")")
    }
}
