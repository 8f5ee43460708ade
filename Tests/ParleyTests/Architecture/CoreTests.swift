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
                let code = SourceCode(try Repository.text("Sources/\(file)")).lines.joined(separator: "\n")
                let words = Set(code.split { !$0.isLetter && !$0.isNumber }.map(String.init))
                #expect(words.isDisjoint(with: rule.unknown), "\(file): \(words.intersection(rule.unknown))")
            }
        }
    }
}
