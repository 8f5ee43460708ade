import Foundation
import ParleyTestSupport
import Testing

@Suite("Cores without back-references")
struct CoreTests {
    /// The files of a core or of its driver, and the types above it.
    private static let rules: [(files: [String], unknown: [String])] = [
        (["ParleyRedis/Log/AppendCore.swift", "ParleyRedis/Log/AppendCore+Store.swift"], ["RedisLog", "RedisHosts"]),
        (["ParleyRedis/Log/AppendLanes.swift", "ParleyRedis/Log/SendLookups.swift"], ["RedisLog", "AppendCore"]),
        (["ParleyFanOut/Hub/Hub.swift"], ["HubDriver", "FanOut"]),
        (["ParleyFanOut/Hub/HubDriver.swift"], ["FanOut"]),
    ]

    @Test("a core does not know its driver, nor a driver its owner")
    func references() throws {
        for rule in Self.rules {
            for file in rule.files {
                let code = SourceCode(try Repository.text(Repository.path(inTarget: file))).lines.joined(
                    separator: "\n")
                let words = Set(code.split { !$0.isLetter && !$0.isNumber }.map(String.init))
                #expect(words.isDisjoint(with: rule.unknown), "\(file): \(words.intersection(rule.unknown))")
            }
        }
    }

    @Test("a session is a value that knows nobody it could call: what it needs comes with an event or as an answer")
    func sessions() throws {
        let folder = "Sources/Core/ParleySession"
        let files = try FileManager.default.subpathsOfDirectory(atPath: Repository.url(folder).path())
            .filter { $0.hasSuffix(".swift") }
        #expect(files.count > 20)
        for file in files {
            let code = SourceCode(try Repository.text("\(folder)/\(file)")).lines.joined(separator: "\n")
            let words = Set(code.split { !$0.isLetter && !$0.isNumber }.map(String.init))
            let found = words.intersection(["protocol", "class", "actor", "any", "some", "weak", "unowned", "escaping"])
            #expect(found.isEmpty, "\(file): \(found)")
            let takesClosure = #/package (mutating )?(func|init)[^{]*: \([^(){]*\) (async )?(throws )?->/#
            #expect(!code.contains(takesClosure), "\(file) takes a closure of its owner")
        }
    }
}
