import Foundation
import ParleyTestServers
import ParleyTestSupport

/// Runs `parley bots` and `parley serve` as programs.
enum ToolRun {
    static let key = "pk_test_0123456789abcdefghijklmnopqrstuvwxyz"

    static func serve(_ arguments: [String] = [], environment: [String: String] = [:]) async throws -> ParleyProcess {
        try await ParleyProcess.start(
            arguments: arguments, environment: environment.merging(["PARLEY_API_KEYS": "load:\(key)"]) { own, _ in own }
        )
    }

    static func bots(_ arguments: [String]) async throws -> ParleyBinary.Outcome {
        try await ParleyBinary.run(["bots"] + arguments, environment: ["PARLEY_API_KEY": key], within: .seconds(90))
    }
}
