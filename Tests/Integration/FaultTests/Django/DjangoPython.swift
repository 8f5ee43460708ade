import Foundation
import ParleyTestSupport

/// Pythons with a real Django in them, each made by a script once for all runs.
enum DjangoPython {
    /// The script failed; PyPI is needed the first time.
    struct NotMade: Error, CustomStringConvertible {
        let description: String
    }

    private static let making = Task { try await make("Tests/Django/make-venv") }
    private static let makingPackages = Task { try await make("Tests/Python/make-venv") }

    /// The path of the executable that has all that the example needs.
    static func path() async throws -> String { try await making.value }

    /// The path of the executable that has all that `parley-client` and `parley-django` need.
    static func packagesPath() async throws -> String { try await makingPackages.value }

    private static func make(_ name: String) async throws -> String {
        let directory = try TemporaryDirectory()
        let output = directory.path + "/output"
        let script = try await ChildProcess.start(
            "\(Repository.path)/\(name)", [], environment: ProcessInfo.processInfo.environment,
            in: directory.path, output: output)
        let end = try await script.exit(within: .seconds(300))
        let lines = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        guard end == .exited(0), let path = lines.split(separator: "\n").last else {
            throw NotMade(description: "\(name) ended: \(end)\n\(lines.suffix(2000))")
        }
        return String(path)
    }
}
