import Foundation
import ParleyTestSupport
import Testing

/// Listeners, and commands that do what users or operators could do, reach log, bus, stores and directory through
/// `Messaging` alone, where the rules are.
@Suite struct FacadeTests {
    private static let listeners = ["ParleyGateway", "ParleyREST"]

    private static let ports: Set<Substring> = [
        "MessageLog", "CurrentLog", "ThreadBus", "MessageStore", "MessageSearch", "MessageFinder", "LogHistory",
        "IngestStream", "StateStore", "Outbox", "AccountStore", "AccountAdministration", "ThreadAdministration",
        "ProfileReader",
        "Directory", "BatchedDirectory", "DjangoDirectory", "AttachmentStore", "BlobStore", "ReadMarks", "SendMemory",
        "ChangeFeed", "Cleanups", "DeviceStore", "NotificationStore", "PartitionLocks", "RateStore", "TicketStore",
        "TraceStore", "MessagingPorts", "ports",
    ]

    /// What acts for nobody in particular, or performs one step of a use case.
    private static let parts: Set<Substring> = [
        "StateChanges", "Attachments", "UnstoredUses", "OutboxRelay", "commandLine",
    ]

    @Test("a listener names no port", arguments: listeners)
    func ports(of target: String) throws {
        let files = try PackageManifest().sources(of: target)
        #expect(!files.isEmpty)
        for file in files {
            let found = try Self.words(of: file).intersection(Self.ports.union(Self.parts))
            #expect(found.isEmpty, "\(file.lastPathComponent) names \(found)")
        }
    }

    @Test("each change of Messaging names who makes it")
    func callers() throws {
        let changes = ["Accounts", "Attachments", "Members", "Notifications", "Threads", "Sending"]
        let knows: Set<Substring> = [
            "Caller", "Operator", "Principal", "BackEnd", "ReadableThread", "PreparedSend", "UserBudgets",
        ]
        var count = 0
        for folder in changes {
            for file in try PackageManifest().sources(in: "Sources/UseCases/ParleyMessaging/\(folder)") {
                let code = SourceCode(try String(contentsOf: file, encoding: .utf8)).lines.joined(separator: "\n")
                for type in code.components(separatedBy: "\nextension ").dropFirst() where type.hasPrefix("Messaging ")
                {
                    for function in type.components(separatedBy: "package func ").dropFirst() {
                        let head = function.prefix { $0 != "{" }
                        count += 1
                        let isKnown =
                            !knows.isDisjoint(with: Self.words(in: head)) || Self.open.contains(Self.name(head))
                        #expect(isKnown, "\(file.lastPathComponent): \(head)")
                    }
                }
            }
        }
        #expect(count > 25)
    }

    /// Reads that every caller with credentials may make, and the withdrawal of a use that `attach` has recorded.
    private static let open: Set<Substring> = ["knownUser", "profile", "users", "room", "history", "details", "detach"]

    @Test("what users read of their own is asked for by a caller, not by a user")
    func readers() throws {
        var count = 0
        for file in try PackageManifest().sources(of: "ParleyMessaging") {
            let code = SourceCode(try String(contentsOf: file, encoding: .utf8)).lines.joined(separator: "\n")
            for type in code.components(separatedBy: "\nextension ").dropFirst() where type.hasPrefix("Messaging ") {
                for function in type.components(separatedBy: "package func ").dropFirst() {
                    let head = function.prefix { $0 != "{" }
                    let end = head.firstRange(of: " async")?.lowerBound ?? head.endIndex
                    let parameters = Set(Self.words(in: head[..<end]))
                    count += 1
                    let isOpen = parameters.contains("Operator") || Self.name(head) == "profile"
                    #expect(isOpen || !parameters.contains("User"), "\(file.lastPathComponent): \(head)")
                }
            }
        }
        #expect(count > 50)
    }

    private static func name(_ head: Substring) -> Substring { head.prefix { $0.isLetter } }

    @Test("a command of parley admin knows the database only for keys and lists")
    func commands() throws {
        let files = try PackageManifest().sources(in: "Sources/Program/parley/Commands/Admin")
        let knowing = try files.filter { try !Self.words(of: $0).isDisjoint(with: ["database", "Database"]) }
        #expect(
            Set(knowing.map(\.lastPathComponent)) == ["AdminDatabase.swift", "CreateKey.swift", "List.swift"])
        let holding = try files.filter { try Self.words(of: $0).contains("withMessaging") }
        #expect(holding.count >= 5)
    }

    @Test("each role is wired in one function, from adapters over use cases to services")
    func roles() throws {
        let file = try #require(
            try PackageManifest().sources(in: "Sources/Program/parley/Wiring").first {
                $0.lastPathComponent == "Node+Roles.swift"
            })
        let code = SourceCode(try String(contentsOf: file, encoding: .utf8)).lines.joined(separator: "\n")
        let functions = code.components(separatedBy: "static func ").dropFirst().map { function in
            function.components(separatedBy: "\n    }\n")[0]
        }
        #expect(functions.map { String($0.prefix { $0.isLetter }) } == ["serve", "gateway", "persister"])
        for function in functions {
            #expect(function.split(separator: "\n", omittingEmptySubsequences: false).count <= 60)
            let steps = ["logger", "NodeBase(", "Adapters(", "UseCases(", "services", "Node("]
            let places = steps.map { function.firstRange(of: $0)?.lowerBound }
            #expect(!places.contains(nil))
            #expect(places.compactMap { $0 } == places.compactMap { $0 }.sorted())
        }
    }

    private static func words(of file: URL) throws -> Set<Substring> {
        Set(SourceCode(try String(contentsOf: file, encoding: .utf8)).lines.flatMap { words(in: $0[...]) })
    }

    private static func words(in text: Substring) -> [Substring] {
        text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
    }
}
