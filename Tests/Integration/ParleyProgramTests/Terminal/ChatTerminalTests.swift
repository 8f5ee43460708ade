import Foundation
import ParleyClient
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// `parley chat` in a terminal of tmux: keys in, screens out.
    @Suite(.timeLimit(.minutes(5))) struct ChatTerminalTests {
        /// Starts the program; its exit code is printed after it has ended.
        private func start(
            _ run: ChatRun, _ terminal: TmuxTerminal, environment: [String: String] = [:]
        ) async throws {
            let command = try run.command("").replacing("exec ", with: "")
            try await terminal.run(
                "\(command); echo \"code $?\"; exec cat",
                environment: run.environment.merging(environment) { $1 })
        }

        /// Signs a user up through the prompts, and joins a room.
        private func enter(_ run: ChatRun, _ terminal: TmuxTerminal, room: String = "Garden") async throws {
            try await start(run, terminal)
            try await terminal.wait(for: "Password of \(run.user):")
            try await terminal.type("correct horse")
            try await terminal.press("Enter")
            let question = try await terminal.wait(for: "Create the account \(run.user)? [y/N]")
            #expect(!question.contains("correct horse"))
            try await terminal.type("y")
            try await terminal.press("Enter")
            try await terminal.wait(for: "Repeat the password:")
            try await terminal.type("correct horse")
            try await terminal.press("Enter")
            try await terminal.wait(for: "Room:")
            try await terminal.type(room)
            try await terminal.press("Enter")
            try await terminal.wait(for: "\(run.user) · \(room)")
        }

        private func send(_ text: String, _ terminal: TmuxTerminal) async throws {
            try await terminal.type(text)
            try await terminal.press("Enter")
        }

        /// A server, and alice in a room in which she has sent a text.
        private func room(
            _ text: String
        ) async throws -> (server: ParleyProcess, terminal: TmuxTerminal, alice: ChatRun) {
            let server = try await ParleyProcess.start()
            let terminal = try await TmuxTerminal.start()
            let alice = try ChatRun("alice", server)
            try await enter(alice, terminal)
            try await send(text, terminal)
            try await terminal.wait(for: "alice  \(text) ✓")
            return (server, terminal, alice)
        }

        @Test("sign up, join, talk with another user: texts, typing, presence, replies, reactions, edits, receipts")
        func conversation() async throws {
            let (server, terminal, _) = try await room("Hello, is anybody here?")

            let bob = try await ClientPerson.signUp("bob", port: server.port).open(storage: .inMemory)
            try await bob.connect()
            let garden = try await bob.joinRoom(title: "Garden")
            let messages = await bob.messages(in: garden)
            let hello = try #require(try await messages.first { $0.items.count == 1 }.items.first)
            await bob.setTyping(true, in: garden)
            try await terminal.wait(for: "bob is typing…")
            try await bob.send("I am", to: garden, replyTo: hello.seq)
            try await bob.react("👍", to: hello.id, in: garden)
            try await bob.markRead(garden)
            let screen = try await terminal.wait(for: "bob  I am")
            #expect(screen.contains("┌ alice: Hello, is anybody here?"), "\(screen)")
            try await terminal.wait(for: "👍 1")
            try await terminal.wait(for: "anybody here? ✓✓")

            try await terminal.press("Up", "r")
            try await terminal.wait(for: "Reply to bob: I am")
            try await send("Good", terminal)
            try await terminal.wait(for: "┌ bob: I am")
            try await terminal.press("Up", "e")
            try await terminal.wait(for: "Edit (Esc cancels)")
            try await send(" morning", terminal)
            try await terminal.wait(for: "Good morning (edited) ✓")
            try await terminal.press("Up", "Up", "+", "6")
            try await terminal.wait(for: "🎉 1")
            let all = try await messages.first { update in
                update.items.last?.text == "Good morning" && update.items.dropLast().last?.reactions.isEmpty == false
            }
            #expect(all.items.last?.replyTo == all.items.dropLast().last?.seq)
            #expect(all.items.dropLast().last?.reactions.first?.emoji == "🎉")
            try await terminal.press("Up", "d", "y")
            try await terminal.wait(for: "message deleted")

            try await bob.send("psst", to: try await bob.openDirect(with: "alice"))
            try await terminal.wait("unread") { $0.firstMatch(of: /● bob +1\b/) != nil }
            try await terminal.press("M-a")
            try await terminal.wait(for: "alice · bob · online")
            try await terminal.wait("read") { $0.firstMatch(of: /bob +1\b/) == nil && $0.contains("bob  psst") }
            try await terminal.press("C-q")
            try await terminal.wait(for: "code 0")
            #expect(try await terminal.value("alternate_on") == "0")
        }

        @Test("scroll back through pages, search and jump, at 80, 40 and 200 columns")
        func scrolling() async throws {
            let server = try await ParleyProcess.start(environment: ["PARLEY_LIMITS_SENDS_PER_SECOND": "0"])
            let terminal = try await TmuxTerminal.start()
            let bob = try await ClientPerson.signUp("bob", port: server.port).open(storage: .inMemory)
            try await bob.connect()
            let garden = try await bob.joinRoom(title: "Garden")
            for number in 1...150 { try await bob.send("message number \(number).", to: garden) }
            #expect(try await eventually { await bob.unconfirmedCount == 0 })
            let alice = try ChatRun("alice", server)
            try await enter(alice, terminal)
            try await terminal.wait(for: "number 150.")
            var hasSeenFirst = false
            for _ in 0..<30 where !hasSeenFirst {
                let before = try await terminal.screen()
                try await terminal.press("PPage")
                let after = try await terminal.wait("older page") { $0 != before }
                hasSeenFirst = after.contains("number 1.")
            }
            #expect(hasSeenFirst)
            try await terminal.press("Escape")
            try await terminal.wait(for: "number 150.")
            try await terminal.press("C-f")
            try await terminal.wait(for: "Search:")
            try await send("77", terminal)
            try await terminal.wait(for: "1 found: 77")
            try await terminal.press("Enter")
            try await terminal.wait("jump") { $0.contains("number 76.") && $0.contains("r reply") }

            for (columns, rows) in [(40, 12), (200, 50), (20, 6), (80, 24)] {
                try await terminal.resize(columns: columns, rows: rows)
                try await terminal.wait("\(columns) columns") { screen in
                    let lines = screen.split(separator: "\n", omittingEmptySubsequences: false)
                    return screen.contains("77.")
                        && lines.contains { $0.contains("│") } == (columns >= 60)
                }
            }
            try await terminal.press("Escape", "Escape", "C-c")
            try await terminal.wait(for: "code 0")
        }

        @Test(
            "a killed server is no hiccup; what was written meanwhile is delivered once, also if the program is killed")
        func offline() async throws {
            let (server, terminal, alice) = try await room("before")
            try await server.kill()
            try await terminal.wait(for: "offline, next try")
            try await send("meanwhile", terminal)
            try await terminal.wait("unsent") { $0.contains("meanwhile …") && $0.contains("1 unsent") }
            try await server.restart()
            try await terminal.wait("delivery", within: .seconds(90)) {
                $0.contains("meanwhile ✓") && !$0.contains("unsent")
            }

            try await server.kill()
            try await terminal.wait(for: "offline")
            try await send("one life later", terminal)
            try await terminal.wait(for: "one life later …")
            let shell = try #require(Int32(try await terminal.value("pane_pid")))
            kill(try #require(ProcessTable.children(of: shell).first), SIGKILL)
            try await terminal.wait(for: "code 137")
            // No password, and no connection.
            try await start(alice, terminal)
            try await terminal.wait("cache") { $0.contains("meanwhile") && $0.contains("one life later …") }
            try await server.restart()
            try await terminal.wait(for: "one life later ✓", within: .seconds(90))
            let reader = try await TestUser.logIn("alice", port: server.port)
            let history = try await reader.history(of: reader.join("Garden"))
            #expect(history.reversed().compactMap { $0["text"]?.string } == ["before", "meanwhile", "one life later"])
        }

        @Test("text of others changes nothing on the terminal but the place where it is shown")
        func hostile() async throws {
            let server = try await ParleyProcess.start()
            let terminal = try await TmuxTerminal.start()
            try await enter(try ChatRun("alice", server), terminal)
            let title = try await terminal.value("pane_title")
            let bob = try await ClientPerson.signUp("bob", port: server.port).open(storage: .inMemory)
            try await bob.connect()
            let garden = try await bob.joinRoom(title: "Garden")
            try await bob.send("\u{1B}]0;owned\u{07}\u{1B}[2J\u{1B}[5;5H\u{9B}31m\u{202E}evil\nline", to: garden)
            let screen = try await terminal.wait(for: "evil")
            #expect(screen.contains("bob  ␛]0;owned␇␛[2J␛[5;5H") && screen.contains("alice · Garden"), "\(screen)")
            #expect(screen.contains("      line"), "\(screen)")
            #expect(try await terminal.value("pane_title") == title)
        }

        @Test("without colours the screen has none")
        func colors() async throws {
            let (_, terminal, alice) = try await room("Hello")
            let colors = /\x1B\[[0-9;]*3[1-6]m/
            let styled = try await terminal.styledScreen()
            #expect(styled.contains(colors), "\(styled.debugDescription)")
            try await terminal.press("C-q")
            try await terminal.wait(for: "code 0")
            try await start(alice, terminal, environment: ["NO_COLOR": "1"])
            try await terminal.wait(for: "Hello ✓")
            #expect(try await !terminal.styledScreen().contains(colors))
        }

        @Test("Ctrl-Z gives the terminal to the shell, and fg returns to the screen")
        func suspension() async throws {
            let server = try await ParleyProcess.start()
            let terminal = try await TmuxTerminal.start()
            let alice = try ChatRun("alice", server)
            #expect(try await alice.lines("--sign-up --room Garden --plain", input: ["Hello"]).status == .exited(0))
            try await terminal.run("exec bash --norc --noprofile -i", environment: alice.environment)
            try await send(alice.command("").replacing("exec ", with: ""), terminal)
            try await terminal.wait(for: "alice  Hello ✓")
            try await terminal.press("C-z")
            try await terminal.wait(for: "Stopped")
            #expect(try await terminal.value("alternate_on") == "0")
            try await send("fg", terminal)
            try await terminal.wait(for: "alice  Hello ✓")
            #expect(try await terminal.value("alternate_on") == "1")
        }

        @Test("a session that was ended asks for the password again, and continues")
        func loggedOut() async throws {
            let (server, terminal, alice) = try await room("Hello")
            let account = try ChatAccount(server: try #require(URL(string: server.baseURL)))
            try await account.logOut(.bearer(alice.token()))
            try await terminal.wait("prompt") { $0.contains("session was ended") && $0.contains("Password of alice:") }
            try await send("correct horse", terminal)
            try await terminal.wait(for: "Hello ✓")
        }

        @Test(
            "the terminal is as it was after each end",
            arguments: [("C-q", nil, 0), ("C-c", nil, 0)]
                + [SIGTERM, SIGHUP, SIGINT, SIGQUIT].map { (nil, $0, 128 + $0) } as [(String?, Int32?, Int32)])
        func restored(_ key: String?, _ signal: Int32?, _ code: Int32) async throws {
            let server = try await ParleyProcess.start()
            let terminal = try await TmuxTerminal.start()
            let alice = try ChatRun("alice", server)
            #expect(try await alice.lines("--sign-up --room Garden --plain").status == .exited(0))
            let command = try alice.command("").replacing("exec ", with: "echo start; ")
            try await terminal.run(
                "\(command); echo \"code $?\"; stty -a | tr ' ' '\\n' | grep -xE -- '-?(icanon|echo|isig)'; exec cat",
                environment: alice.environment)
            try await terminal.wait(for: "alice · Garden")
            if let key {
                try await terminal.press(key)
            } else if let signal {
                let pane = try await terminal.value("pane_pid")
                let shell = try #require(Int32(pane))
                kill(try #require(ProcessTable.children(of: shell).first), signal)
            }
            let screen = try await terminal.wait(for: "code \(code)")
            #expect(screen.contains("start"), "\(screen)")
            try await terminal.wait("settings") { $0.contains("\nisig\nicanon\necho\n") }
            #expect(try await terminal.value("alternate_on") == "0")
        }
    }
}
