import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ConformanceTests {
    /// `@parley/client` in Node, with Debian's `ws`.
    @Suite("The JavaScript client")
    struct JavaScriptClientTests {
        /// Runs a script next to a `node_modules` with the package and `ws`, and returns its output.
        private func run(_ script: String, in directory: TemporaryDirectory) async throws -> String {
            let path = directory.path
            let modules = path + "/node_modules"
            try FileManager.default.createDirectory(
                atPath: modules + "/@parley", withIntermediateDirectories: true)
            try script.write(toFile: path + "/first.mjs", atomically: true, encoding: .utf8)
            let commands = """
                "$0" made > /dev/null && mv made/package node_modules/@parley/client \
                && ln -s /usr/share/nodejs/ws node_modules/ws && exec node first.mjs
                """
            let process = try await ChildProcess.start(
                "/bin/bash", ["-c", commands, Repository.url("deploy/client-package").path],
                environment: ["PATH": "/usr/local/bin:/usr/bin:/bin"], in: path, output: path + "/output")
            let end = try await process.exit(within: .seconds(40))
            let text = try String(contentsOfFile: path + "/output", encoding: .utf8)
            #expect(end == .exited(0), "\(text)")
            return text
        }

        @Test("the first message of the package's README is sent and shown", .timeLimit(.minutes(1)))
        func first() async throws {
            let readme = try Repository.text("Sources/CWebClient/package/README.md")
            let block = try #require(
                readme.split(separator: "```js\n").dropFirst().first?.split(separator: "\n```").first.map(String.init))
            #expect(block.split(separator: "\n").count <= 12)
            let parley = try await ParleyProcess.start()
            let script = block.replacing("http://127.0.0.1:8080", with: parley.baseURL)
            #expect(script != block)
            let end = "\nsetTimeout(() => client.close(), 500);\n"
            let text = try await run(script + end, in: TemporaryDirectory())
            #expect(text.contains("alice Hello"))
        }

        @Test("it breaks no rule of the conformance kit", arguments: 0..<4)
        func kit(part: Int) async throws {
            let path = Repository.url("Tests/WebClientTests/support/kitClient.js").path
            try await ConformanceRecord.named("JavaScript").run("exec node '\(path)'", part: part, of: 4)
        }
    }
}
