import Foundation
import ParleyTestBrowser
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The quickstarts of the README, docs/quickstarts.md and docs/examples.md, run unchanged. That of Django is in
    /// `DjangoQuickstartTests`, and that of ParleyClient in `ClientQuickstartTests`.
    @Suite struct QuickstartTests {
        @Test("there is one for each kind of user, of at most 30 lines")
        func length() throws {
            let names = try Quickstart.names()
            #expect(names == ["client", "web", "urlsession", "starscream", "django", "ops", "curl"])
            for name in names {
                let lines = try Quickstart.text(name).split(separator: "\n", omittingEmptySubsequences: false)
                    .dropLast()
                #expect((5...30).contains(lines.count), "\(name): \(lines.count)")
            }
        }

        @Test("web: signs up, shows the room in a box on the page, sends, and gets what it missed during a restart")
        func web() async throws {
            let code = try Quickstart.text("web")
            let parley = try await ParleyProcess.start()
            try await WebDriver.use { driver in
                let browser = try await driver.openBrowser()
                try await browser.open(parley.baseURL + "/docs")
                _ = try await browser.runAsync(code)
                let shows = { (text: String) in
                    "[...document.querySelectorAll('dialog p')].filter((each) => each.textContent === '\(text)').length === 1"
                }
                try await browser.wait(for: shows("alice: Hello from the web"))
                // A person sees the text: it is inside the window, and nothing covers it.
                let isVisible = try await browser.run(
                    """
                    const { left, top, width, height } = document.querySelector('dialog p').getBoundingClientRect();
                    const [x, y] = [left + width / 2, top + height / 2];
                    return y > 0 && y < innerHeight && document.elementFromPoint(x, y)?.closest('dialog p') !== null;
                    """)
                #expect(isVisible == true)
                try await browser.type("typed\u{E007}", into: "dialog input")
                try await browser.wait(for: shows("alice: typed"))
                let bob = try await TestUser.signUp("bob", port: parley.port)
                let thread = try await bob.join("Garden")
                let socket = try await bob.socket()
                try await socket.say("hi", in: thread)
                try await browser.wait(for: shows("bob: hi"))
                try await parley.restart()
                let again = try await bob.socket()
                try await again.say("missed", in: thread)
                try await browser.wait(for: shows("bob: missed"))
                #expect(try await browser.scriptErrors() == [])
                // A second page of the same user logs in.
                try await browser.open(parley.baseURL + "/docs")
                _ = try await browser.runAsync(code)
                try await browser.wait(for: shows("alice: Hello from the web"))
            }
        }

        @Test(
            "curl: signs up and sends, and the second time logs in; each run shows its message", .timeLimit(.minutes(1))
        )
        func curl() async throws {
            let parley = try await ParleyProcess.start()
            let directory = try TemporaryDirectory()
            let script = directory.path + "/quickstart.sh"
            try Quickstart.text("curl").write(toFile: script, atomically: true, encoding: .utf8)
            var environment = ProcessInfo.processInfo.environment
            environment["SERVER"] = parley.baseURL
            for run in 1...2 {
                let output = directory.path + "/output-\(run)"
                let child = try await ChildProcess.start(
                    "bash", ["-eu", script], environment: environment, in: directory.path, output: output)
                #expect(try await child.exit(within: .seconds(20)) == .exited(0))
                let text = try String(contentsOfFile: output, encoding: .utf8)
                // The ack of the message, and a page with all messages so far.
                #expect(text.contains(#""type":"ack""#), "\(text)")
                #expect(text.matches(of: /"text":"Hello"/).count == run, "\(text)")
            }
        }

        @Test("URLSession: signs up, joins the room and chats, as far as this machine's libcurl knows WebSockets")
        func urlSession() async throws {
            let directory = try TemporaryDirectory()
            let source = directory.path + "/quickstart.swift"
            try Quickstart.text("urlsession").write(toFile: source, atomically: true, encoding: .utf8)
            let program = directory.path + "/quickstart"
            try await compile([source, "-o", program], in: directory)
            let parley = try await ParleyProcess.start()
            let output = directory.path + "/output"
            let child = try await ChildProcess.start(
                program, [parley.baseURL], environment: ProcessInfo.processInfo.environment, in: directory.path,
                output: output)
            let text = { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }
            _ = try await eventually(within: .seconds(20)) {
                text().contains("bob: Hello from Swift") || child.exitStatus != nil
            }
            child.signal(SIGKILL)
            _ = try await child.exit(within: .patience)
            // Debian 12's libcurl 7.88 is built without WebSockets; everything before the socket works with it.
            #expect(
                text().contains("bob: Hello from Swift") || text().contains("WebSockets not supported by libcurl"),
                "\(text())")
            let bob = try await TestUser.logIn("bob", password: "correct horse", port: parley.port)
            let rooms = try await bob.http.get("/v1/threads").json()["threads"]?.array ?? []
            #expect(rooms.compactMap { $0["title"]?.string } == ["Garden"])
        }

        @Test("Starscream: compiles against its API; its request opens a socket, and its frame is a message")
        func starscream() async throws {
            let directory = try TemporaryDirectory()
            let stub = Repository.url("Tests/Fixtures/Starscream/Starscream.swift")
            try await compile(
                [
                    stub.path(percentEncoded: false), "-parse-as-library", "-emit-module", "-emit-library",
                    "-module-name",
                    "Starscream", "-o", directory.path + "/libStarscream.so",
                ], in: directory)
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let room = try await alice.join("Garden")
            try Quickstart.text("starscream").write(
                toFile: directory.path + "/Chat.swift", atomically: true, encoding: .utf8)
            try """
            import Foundation
            let arguments = CommandLine.arguments
            let chat = Chat(server: URL(string: arguments[1])!, token: arguments[2], room: arguments[3])
            """.write(toFile: directory.path + "/main.swift", atomically: true, encoding: .utf8)
            let program = directory.path + "/program"
            try await compile(
                ["Chat.swift", "main.swift", "-I", ".", "-L", ".", "-lStarscream", "-o", program], in: directory)
            var environment = ProcessInfo.processInfo.environment
            environment["LD_LIBRARY_PATH"] =
                [directory.path, environment["LD_LIBRARY_PATH"]].compactMap { $0 }.joined(separator: ":")
            let output = directory.path + "/output"
            let child = try await ChildProcess.start(
                program, [parley.baseURL, alice.sessionToken, room], environment: environment, in: directory.path,
                output: output)
            #expect(try await child.exit(within: .seconds(20)) == .exited(0))
            let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").map(String.init)
            #expect(lines.first == "url \(parley.baseURL)/chat", "\(lines)")
            let headers = lines.filter { $0.hasPrefix("header ") }.map { line in
                let parts = line.dropFirst("header ".count).split(separator: ": ", maxSplits: 1)
                return (name: String(parts[0]), value: String(parts[1]))
            }
            let frame = try #require(lines.first { $0.hasPrefix("frame ") }?.dropFirst("frame ".count))

            let credentials = headers.filter { $0.name == "Authorization" }
            let subprotocol = try #require(headers.first { $0.name.lowercased() == "sec-websocket-protocol" }?.value)
            #expect(headers.count == 2)
            let socket = try await TestSocket.connect(
                port: parley.port, headers: credentials, subprotocols: [subprotocol])
            #expect(try await socket.nextJSON()["type"] == "hello")
            try await socket.send(text: String(frame))
            let message = try await socket.nextJSON()
            #expect(message["type"] == "message")
            #expect(message["text"] == "Hello from Starscream")
        }

        @Test("ops: starts a cluster, loads it, lists its nodes, and stops it", .timeLimit(.minutes(3)))
        func ops() async throws {
            let redis = try await RedisServer.start()
            let postgres = try await PostgresServer.start()
            let database = postgres.url(database: try await postgres.makeDatabase())
            let directory = try TemporaryDirectory()
            let binary = URL(filePath: try ParleyBinary.path()).deletingLastPathComponent().path(percentEncoded: false)
            var environment = ParleyBinary.environment([
                "PARLEY_REDIS": redis.url, "PARLEY_DATABASE": database, "REST_PORT": "\(FreePort.next())",
                "SOCKET_PORT": "\(FreePort.next())",
            ])
            environment["PATH"] = "\(binary):\(environment["PATH"] ?? "/usr/bin:/bin")"
            let script = directory.path + "/quickstart.sh"
            try Quickstart.text("ops").write(toFile: script, atomically: true, encoding: .utf8)
            let output = directory.path + "/output"
            let child = try await ChildProcess.start(
                "bash", [script], environment: environment, in: directory.path, output: output)
            let end = try await child.exit(within: .seconds(150))
            let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
            #expect(end == .exited(0), "\(text.suffix(4000))")
            for line in ["parley would start.", "ok    redis: 1 host answers", "\"gateway1\"", "\"persister1\""] {
                #expect(text.contains(line), "\(line): \(text.suffix(4000))")
            }
            #expect(!text.contains("FAIL"), "\(text.suffix(4000))")
            try await postgres.stop()
        }

        /// Compiles in Swift 5 mode, as most apps are.
        private func compile(_ arguments: [String], in directory: TemporaryDirectory) async throws {
            let output = directory.path + "/compiler-\(UUID().uuidString)"
            let compiler = try await ChildProcess.start(
                "swiftc", ["-swift-version", "5"] + arguments, environment: ProcessInfo.processInfo.environment,
                in: directory.path, output: output)
            let end = try await compiler.exit(within: .seconds(120))
            let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
            #expect(end == .exited(0) && !text.contains("warning:"), "\(text)")
        }
    }
}
