import Foundation
import ParleyTestSupport

/// The Python with a real Django in it, made by `Tests/Django/make-venv` once for all runs.
enum DjangoPython {
    /// The script failed; PyPI is needed the first time.
    struct NotMade: Error, CustomStringConvertible {
        let description: String
    }

    private static let making = Task { try await make() }

    /// The path of the executable.
    static func path() async throws -> String { try await making.value }

    private static func make() async throws -> String {
        let directory = try TemporaryDirectory()
        let output = directory.path + "/output"
        let script = try await ChildProcess.start(
            Repository.path + "/Tests/Django/make-venv", [], environment: ProcessInfo.processInfo.environment,
            in: directory.path, output: output)
        let end = try await script.exit(within: .seconds(300))
        let lines = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        guard end == .exited(0), let path = lines.split(separator: "\n").last else {
            throw NotMade(description: "make-venv ended: \(end)\n\(lines.suffix(2000))")
        }
        return String(path)
    }
}
