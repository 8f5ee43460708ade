import Foundation
import ParleyTestSupport

/// `parley bots` and `parley serve` as programs.
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

    /// The processes that a process has started.
    static func children(of pid: Int32) -> [Int32] {
        let path = "/proc/\(pid)/task/\(pid)/children"
        var pids: [Int32] = []
        // Children belong to the thread that has made them.
        for task in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? [] {
            let path = path.replacing("/task/\(pid)/", with: "/task/\(task)/")
            pids += ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: " ").compactMap {
                Int32($0)
            }
        }
        return pids
    }

    /// Whether there is such a process that has not ended.
    static func lives(_ pid: Int32) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8) else { return false }
        return !status.contains("State:\tZ")
    }
}
