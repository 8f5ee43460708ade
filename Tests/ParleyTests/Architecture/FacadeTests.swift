import Foundation
import ParleyTestSupport
import Testing

/// Listeners reach log, bus, stores and directory through `Messaging` alone, where the rules are.
@Suite struct FacadeTests {
    private static let listeners = ["ParleyGateway", "ParleyREST"]

    private static let ports: Set<Substring> = [
        "MessageLog", "CurrentLog", "ThreadBus", "MessageStore", "MessageSearch", "MessageFinder", "LogHistory",
        "IngestStream", "StateStore", "Outbox", "AccountStore", "AccountAdministration", "ThreadAdministration",
        "Directory", "BatchedDirectory", "DjangoDirectory", "AttachmentStore", "BlobStore", "ReadMarks", "SendMemory",
        "ChangeFeed", "Cleanups", "PartitionLocks", "RateStore", "TicketStore", "TraceStore", "MessagingPorts", "ports",
    ]

    @Test("a listener names no port", arguments: listeners)
    func ports(of target: String) throws {
        let files = try PackageManifest().sources(in: "Sources/\(target)")
        #expect(!files.isEmpty)
        for file in files {
            let code = SourceCode(try String(contentsOf: file, encoding: .utf8))
            for line in code.lines {
                let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
                let found = Self.ports.intersection(words)
                #expect(found.isEmpty, "\(file.lastPathComponent) names \(found)")
            }
        }
    }
}
