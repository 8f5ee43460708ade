import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("The quickstart of Django in the README", .timeLimit(.minutes(2)))
struct DjangoQuickstartTests {
    @Test("reads and writes the group that is a thread, as it stands in the file")
    func run() async throws {
        let python = try await DjangoPython.path()
        let redis = try await RedisServer.start()
        let parley = try await ParleyProcess.start(arguments: ["--redis", redis.url])
        let alice = try await TestUser.signUp("alice", port: parley.port)
        let thread = try await alice.join("Garden")
        let socket = try await alice.socket()
        let directory = try TemporaryDirectory()
        let script = directory.path + "/quickstart.py"
        try Quickstart.text("django").write(toFile: script, atomically: true, encoding: .utf8)
        let output = directory.path + "/output"
        let child = try await ChildProcess.start(
            python, [script, thread], environment: ParleyBinary.environment(["PARLEY_REDIS": redis.url]),
            in: directory.path, output: output)
        let text = { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }

        #expect(try await socket.nextJSON()["text"] == "Hello from Django")
        try await socket.send(json: ["message": ["id": .string(thread), "text": "hi"]])
        let hasAnswered = try await eventually(within: .seconds(20)) { text().contains("alice: hi\n") }
        #expect(hasAnswered, "\(text())")
        #expect(text() == "Django: Hello from Django\nalice: hi\n")
        child.signal(SIGKILL)
        _ = try await child.exit(within: .patience)
        try await parley.kill()
        try await redis.kill()
    }
}
