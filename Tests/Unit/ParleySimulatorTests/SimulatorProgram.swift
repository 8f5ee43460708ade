import Foundation

/// `parley-sim`, beside the test bundle. A simulation takes a process over, so it cannot run in that of the tests.
enum SimulatorProgram {
    struct Outcome {
        let status: Int32
        let output: String
    }

    static func run(_ arguments: String...) async throws -> Outcome {
        let runner = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let process = Process()
        process.executableURL = runner.deletingLastPathComponent().appending(path: "parley-sim")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                do {
                    try process.run()
                    let output = pipe.fileHandleForReading.readDataToEndOfFile()
                    process.waitUntilExit()
                    continuation.resume(
                        returning: Outcome(
                            status: process.terminationStatus, output: String(decoding: output, as: UTF8.self)))
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }
}
