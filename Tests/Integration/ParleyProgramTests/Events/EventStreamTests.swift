import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The stream of events of a running server.
    @Suite struct EventStreamTests {
        private static let key = ProgramCluster.apiKey

        private func start(_ more: [String: String] = [:]) async throws -> ParleyProcess {
            let settings = ["PARLEY_API_KEYS": "ops:\(Self.key)"]
            return try await ParleyProcess.start(
                arguments: ["--drain-seconds", "1"], environment: settings.merging(more) { $1 })
        }

        @Test("a reader follows, ends when the node drains, and continues after a restart where it was")
        func following() async throws {
            let parley = try await start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let room = try await alice.join("Room")
            let socket = try await alice.socket()
            let reader = try await EventReader.start(
                "follow=1", port: parley.port, key: Self.key, in: parley.directory, name: "first")
            for number in 0..<20 { try await socket.say("before \(number)", in: room) }
            #expect(try await eventually { reader.texts.count == 20 })
            #expect(reader.texts == (0..<20).map { "before \($0)" })
            #expect(reader.events.first?["type"] == "joined")
            #expect(try await parley.terminate() == .exited(0))
            #expect(try await reader.child.exit(within: .patience) == .exited(0))
            let cursor = try #require(reader.cursor)
            try await parley.restart()
            let again = try await alice.socket()
            try await again.say("after", in: room)
            let next = try await EventReader.start(
                "follow=1&after=\(cursor)", port: parley.port, key: Self.key, in: parley.directory, name: "second")
            #expect(try await eventually { next.texts.contains("after") })
            #expect(next.texts == ["after"])
        }

        @Test("no more readers than the limit, and one that hangs up makes room")
        func limit() async throws {
            let parley = try await start(["PARLEY_EVENTS_FOLLOWERS": "1"])
            let service = HTTPClient(port: parley.port, headers: [("Authorization", "Bearer \(Self.key)")])
            let reader = try await EventReader.start(
                "follow=1", port: parley.port, key: Self.key, in: parley.directory, name: "only")
            // The first part comes at once.
            #expect(try await eventually { reader.cursor != nil })
            #expect(try await service.get("/v1/admin/events").status == 429)
            reader.child.signal(SIGKILL)
            #expect(try await eventually { try await service.get("/v1/admin/events").status == 200 })
        }

        @Test("the workers of a group read one at a time, and the next one begins where the last has acknowledged")
        func group() async throws {
            let parley = try await start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let room = try await alice.join("Room")
            let socket = try await alice.socket()
            let service = HTTPClient(port: parley.port, headers: [("Authorization", "Bearer \(Self.key)")])
            func acknowledge(_ cursor: String, by worker: String?) async throws -> Int {
                let body: JSONValue =
                    worker.map { ["cursor": .string(cursor), "worker": .string($0)] } ?? [
                        "cursor": .string(cursor)
                    ]
                return try await service.send(
                    "PUT", "/v1/admin/event-groups/crm", headers: [("Content-Type", "application/json")],
                    body: Array(body.text.utf8)
                ).status
            }
            for text in ["one", "two"] { try await socket.say(text, in: room) }
            let first = try await EventReader.start(
                "follow=1&group=crm&worker=a&kinds=message", port: parley.port, key: Self.key, in: parley.directory,
                name: "first")
            #expect(try await eventually { first.texts == ["one", "two"] }, "\(first.texts)")
            let refused = try await service.get("/v1/admin/events?group=crm&worker=b")
            #expect(refused.status == 409)
            #expect(refused.text.contains("the worker a reads for the group crm"))
            let cursor = try #require(first.cursor)
            #expect(try await acknowledge(cursor, by: "b") == 409)
            #expect(try await acknowledge(cursor, by: "a") == 204)
            first.child.signal(SIGKILL)
            try await socket.say("three", in: room)
            // The lease ends when the server has noticed that the first worker hung up.
            func read(by worker: String) async throws -> String? {
                let answer = try await service.get("/v1/admin/events?group=crm&worker=\(worker)&kinds=message")
                return answer.status == 200 ? answer.text : nil
            }
            #expect(try await eventually { try await read(by: "b")?.contains("\"text\":\"three\"") == true })
            #expect(try await read(by: "b")?.contains("\"text\":\"two\"") == false)
            #expect(try await acknowledge(cursor, by: "a") == 409)
            #expect(try await acknowledge("start", by: nil) == 204)
            #expect(try await acknowledge(cursor, by: "b") == 409)
            #expect(try await read(by: "c")?.contains("\"text\":\"one\"") == true)
            let groups = try await service.get("/v1/admin/event-groups").json()["groups"]?.array
            #expect(groups?.count == 1)
            #expect(groups?.first?["worker"] == "c")
            // A command reads for the group, too, and acknowledges what it has printed.
            func command(_ worker: String) async throws -> ParleyBinary.Outcome {
                try await ParleyBinary.run([
                    "admin", "events", "--kinds", "message", "--group", "crm", "--worker", worker, "--database",
                    "sqlite:\(parley.databasePath)",
                ])
            }
            #expect(try await command("d").status != .exited(0))
            #expect(try await command("c").output.contains("\"text\":\"three\""))
            let listed = try await service.get("/v1/admin/event-groups").json()["groups"]?.array
            #expect(listed?.first?["lag_ms"] == .null)
            #expect(try await command("d").output.contains("\"text\":") == false)
            #expect(try await service.send("DELETE", "/v1/admin/event-groups/crm").status == 204)
            #expect(try await service.send("DELETE", "/v1/admin/event-groups/crm").status == 404)
            #expect(try await acknowledge(cursor, by: "c") == 404)
        }

        @Test("the command prints the same events, by kind and thread, and continues after its cursor")
        func command() async throws {
            let parley = try await start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let rooms = [try await alice.join("One"), try await alice.join("Two")]
            let socket = try await alice.socket()
            for (index, text) in ["a", "b", "c"].enumerated() { try await socket.say(text, in: rooms[index % 2]) }
            let service = HTTPClient(port: parley.port, headers: [("Authorization", "Bearer \(Self.key)")])
            #expect(
                try await eventually {
                    try await service.get("/v1/admin/events?kinds=message").text.contains("\"text\":\"c\"")
                })
            func run(_ arguments: String...) async throws -> String {
                let outcome = try await ParleyBinary.run(
                    ["admin", "events"] + arguments + ["--database", "sqlite:\(parley.databasePath)"])
                #expect(outcome.status == .exited(0), "\(outcome.output)")
                return outcome.output
            }
            #expect(try await run() == service.get("/v1/admin/events").text)
            let some = try await run("--kinds", "message", "--thread", rooms[0], "--user", "alice", "--limit", "1")
            let lines = try some.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
            #expect(lines.compactMap { $0["event"]?["text"]?.string } == ["a"])
            let cursor = try #require(lines.last?["cursor"]?.string)
            #expect(try await run("--kinds", "message", "--after", cursor).contains("\"text\":\"c\""))
            let wrong = try await ParleyBinary.run(["admin", "events", "--kinds", "text", "--database", "sqlite:x"])
            #expect(wrong.status != .exited(0))
            #expect(wrong.output.contains("--kinds has an unknown kind; allowed are message, "), "\(wrong.output)")
        }

        @Test("the program in docs/events.md gets each event once over restarts of the server and of itself")
        func example() async throws {
            let parley = try await start()
            let text = try Repository.text("docs/events.md")
            let marker = try #require(text.firstRange(of: "<!-- example: events -->\n```python\n"))
            let end = try #require(text[marker.upperBound...].firstRange(of: "\n```\n"))
            let code = text[marker.upperBound..<end.lowerBound].replacing(":8080", with: ":\(parley.port)")
            let path = "\(parley.directory.path)/follow.py"
            try String(code).write(toFile: path, atomically: true, encoding: .utf8)
            func follow(_ name: String) async throws -> (ChildProcess, @Sendable () -> [String]) {
                let output = "\(parley.directory.path)/\(name)"
                let child = try await ChildProcess.start(
                    "/usr/bin/python3", [path], environment: ["PARLEY_API_KEY": Self.key], in: parley.directory.path,
                    output: output)
                return (
                    child,
                    {
                        String(decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
                            .split(separator: "\n").map(String.init)
                    }
                )
            }
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let room = try await alice.join("Room")
            let (first, printed) = try await follow("first")
            try await alice.socket().say("one", in: room)
            #expect(try await eventually { printed().contains { $0.hasSuffix("message one") } }, "\(printed())")
            try await parley.restart()
            try await alice.socket().say("two", in: room)
            #expect(try await eventually { printed().contains { $0.hasSuffix("message two") } }, "\(printed())")
            #expect(
                printed().map { $0.split(separator: " ").dropFirst().joined(separator: " ") } == [
                    "joined", "message one", "message two",
                ])
            // The cursor is written right after its events.
            #expect(try await eventually { FileManager.default.fileExists(atPath: parley.directory.path + "/cursor") })
            first.signal(SIGKILL)
            try await alice.socket().say("three", in: room)
            let (second, rest) = try await follow("second")
            #expect(try await eventually { rest().contains { $0.hasSuffix("message three") } }, "\(rest())")
            second.signal(SIGKILL)
        }
    }
}
