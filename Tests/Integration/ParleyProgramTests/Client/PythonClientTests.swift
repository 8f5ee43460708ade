import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ConformanceTests {
    /// `parley-client` and `parley-django`, as wheels that are built for the test, or from their sources.
    @Suite("The Python client")
    struct PythonClientTests {
        private static let key = "pk_python-tests"
        private static let folder = Repository.path + "/python/parley-client"
        private static let django = Repository.path + "/python/parley-django"

        /// Commands of Bash that run in a directory of their own.
        private struct Running {
            let directory: TemporaryDirectory
            let process: ChildProcess

            var output: String {
                (try? String(contentsOfFile: directory.path + "/output", encoding: .utf8)) ?? ""
            }

            /// Waits for the end, and returns the output.
            func end() async throws -> String {
                let end = try await process.exit(within: .seconds(240))
                #expect(end == .exited(0), "\(output)")
                return output
            }
        }

        private func bash(_ commands: String, _ arguments: [String]) async throws -> Running {
            let directory = try TemporaryDirectory()
            // With the settings of the user's pip, if there are any.
            let process = try await ChildProcess.start(
                "/bin/bash", ["-c", commands] + arguments, environment: ProcessInfo.processInfo.environment,
                in: directory.path, output: directory.path + "/output")
            return Running(directory: directory, process: process)
        }

        /// Runs a script with the installed wheel.
        private func run(_ script: String, _ arguments: [String] = []) async throws -> Running {
            try await bash(
                #"python="$("$0" made)" && PYTHONPATH=made/site exec "$python" "$@""#,
                [Repository.path + "/Tests/Python/wheel", script] + arguments)
        }

        @Test("the first message of the package's README is sent and shown", .timeLimit(.minutes(5)))
        func first() async throws {
            let readme = try Repository.text("python/parley-client/README.md")
            let block = try #require(
                readme.split(separator: "```python\n").dropFirst().first?.split(separator: "\n```").first)
            #expect(block.split(separator: "\n").count <= 12)
            let parley = try await ParleyProcess.start()
            let script = String(block).replacing("http://127.0.0.1:8080", with: parley.baseURL)
            #expect(script != block)
            let directory = try TemporaryDirectory()
            try script.write(toFile: directory.path + "/first.py", atomically: true, encoding: .utf8)
            let text = try await run(directory.path + "/first.py").end()
            #expect(text.contains("alice Hello"))
        }

        @Test("rooms, members, imports, files and tickets work on a real server, with and without async")
        func real() async throws {
            let parley = try await ParleyProcess.start(environment: ["PARLEY_API_KEYS": "python:\(Self.key)"])
            let text = try await run(Self.folder + "/tests/live.py", [parley.baseURL, Self.key]).end()
            #expect(text.contains("everything works"))
        }

        @Test("what is sent while the server is killed and restarted arrives once and in order")
        func restarts() async throws {
            let parley = try await ParleyProcess.start()
            _ = try await parley.http.post("/auth/signup", form: ["username": "alice", "password": "correct horse"])
            let running = try await run(Self.folder + "/tests/live_restarts.py", [parley.baseURL])
            for round in 0..<3 {
                _ = try await eventually(within: .seconds(120)) {
                    running.process.exitStatus != nil || running.output.contains("round \(round)")
                }
                try await parley.kill()
                try await parley.restart()
            }
            let text = try await running.end()
            #expect(text.contains("everything arrived once and in order"))
        }

        @Test("the first lines of docs/events.md print each message once in a new Django site")
        func site() async throws {
            let parley = try await ParleyProcess.start(environment: ["PARLEY_API_KEYS": "python:\(Self.key)"])
            let text = try await run(Self.django + "/tests/live_first.py", [parley.baseURL, Self.key]).end()
            #expect(text.contains("each message was printed once"))
        }

        @Test("20 kills of parley_events, alone and in a group, miss nothing and keep the order")
        func kills() async throws {
            let parley = try await ParleyProcess.start(environment: ["PARLEY_API_KEYS": "python:\(Self.key)"])
            let text = try await run(Self.django + "/tests/live_kills.py", [parley.baseURL, Self.key]).end()
            #expect(text.contains("nothing was missed"))
        }

        @Test("it breaks no rule of the conformance kit", arguments: 0..<4)
        func kit(part: Int) async throws {
            let python =
                try await bash("exec \"$0\"", [Repository.path + "/Tests/Python/make-venv"]).end()
                .split(separator: "\n").last ?? ""
            let client = "PYTHONPATH='\(Self.folder)/src' exec '\(python)' '\(Self.folder)/tests/kit_client.py'"
            try await ConformanceRecord.named("Python").run(client, part: part, of: 4)
        }
    }
}
