import Foundation
import ParleyTestBrowser
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// `@parley/client` in Chromium, on pages of its own.
    @Suite("The JavaScript client in a browser")
    struct JavaScriptClientPageTests {
        private static let web = Repository.url("examples/web").path

        /// A server with accounts for `alice` and `bob`, and a browser for each page.
        private func withPages(
            _ count: Int, folder: String = web,
            body: (ParleyProcess, [ExamplePage]) async throws -> Void
        ) async throws {
            let parley = try await ParleyProcess.start()
            for name in ["alice", "bob"] { _ = try await TestUser.signUp(name, port: parley.port) }
            let server = try await ExampleServer.start(folder, before: parley)
            try await WebDriver.use { driver in
                var pages: [ExamplePage] = []
                for _ in 0..<count {
                    pages.append(ExamplePage(browser: try await driver.openBrowser(), baseURL: server.baseURL))
                }
                try await body(parley, pages)
                for page in pages { #expect(try await page.browser.scriptErrors() == []) }
            }
        }

        @Test("two people chat on the page of examples/web")
        func chat() async throws {
            try await withPages(2) { _, pages in
                let (alice, bob) = (pages[0], pages[1])
                try await alice.logIn("alice")
                try await bob.logIn("bob")
                try await alice.say("Hello")
                for page in pages { try await page.sees(["alice: Hello [stored]"]) }
                try await bob.say("Hi")
                for page in pages { try await page.sees(["alice: Hello [stored]", "bob: Hi [stored]"]) }
            }
        }

        @Test("tabs share one connection, and the second goes on when the first is closed")
        func tabs() async throws {
            try await withPages(1) { parley, pages in
                let alice = pages[0]
                try await alice.logIn("alice")
                try await alice.say("one")
                try await alice.sees(["alice: one [stored]"])
                let first = try await alice.browser.openTab(alice.baseURL)
                try await alice.enter("alice")
                try await alice.say("two")
                try await alice.sees(["alice: one [stored]", "alice: two [stored]"])
                #expect(try await parley.openedSockets() == 1)
                // The first tab shows it too; then it is closed.
                let second = try await alice.browser.openTab("about:blank")
                try await alice.browser.closeTab(thenShow: first)
                try await alice.sees(["alice: one [stored]", "alice: two [stored]"])
                try await alice.browser.closeTab(thenShow: second)
                try await alice.say("three")
                try await alice.sees(["alice: one [stored]", "alice: two [stored]", "alice: three [stored]"])
                #expect(try await parley.openedSockets() == 2)
            }
        }

        @Test("what was sent without a server is in IndexedDB, and is sent once when both are back")
        func storage() async throws {
            try await withPages(1) { parley, pages in
                let alice = pages[0]
                try await alice.logIn("alice")
                try await alice.say("before")
                try await alice.sees(["alice: before [stored]"])
                try await parley.kill()
                try await alice.say("offline")
                try await alice.sees(["alice: before [stored]", "alice: offline [pending]"])
                try await alice.browser.open("about:blank")
                try await parley.restart()
                try await alice.logIn("alice")
                try await alice.sees(["alice: before [stored]", "alice: offline [stored]"])
            }
        }

        @Test("a file is sent in pieces, with its progress, and is read back")
        func files() async throws {
            try await withPages(1) { _, pages in
                let alice = pages[0]
                try await alice.browser.open(alice.baseURL)
                let seen = try await alice.browser.runAsync(
                    """
                    const { createClient } = await import('/client/index.js');
                    const client = createClient({ credentials: { username: 'alice', password: '\(ExamplePage.password)' } });
                    await client.ready;
                    const { id } = await client.join('Garden');
                    const bytes = new Uint8Array(9_000_000).fill(97);
                    const files = [new File(['some text'], 'notes.txt', { type: 'text/plain' }), new File([bytes], 'large.bin')];
                    let progress = 0;
                    const sent = client.send(id, 'Two files', { files });
                    client.on('change', () => { progress = Math.max(progress, client.progress(sent.id)?.sent ?? 0); });
                    await sent.stored;
                    const messages = client.messages(id);
                    await new Promise((resolve) => { messages.subscribe((items) => { if (items.at(-1)?.parts.length === 2) resolve(); }); });
                    const [notes, large] = messages.items.at(-1).parts;
                    const text = await (await fetch(notes.url)).text();
                    const { size } = await (await fetch(large.url)).blob();
                    client.close();
                    return [notes.name, notes.type, text, large.name, size, progress > 0];
                    """)
                // The server keeps the types of media; everything else is a download.
                let type: JSONValue = "application/octet-stream"
                #expect(seen == ["notes.txt", type, "some text", "large.bin", 9_000_000, true])
            }
        }

        @Test("a page of another origin chats with a token, if the server allows its origin")
        func otherOrigin() async throws {
            let port = FreePort.next()
            let folder = try TemporaryDirectory()
            try "<!doctype html><title>Elsewhere</title>".write(
                toFile: folder.path + "/index.html", atomically: true, encoding: .utf8)
            let parley = try await ParleyProcess.start(
                environment: ["PARLEY_ALLOWED_ORIGINS": "http://127.0.0.1:\(port)"])
            let closed = try await ParleyProcess.start()
            let page = try await ExampleServer.start(folder.path, before: closed, port: port)
            let token = try await TestUser.signUp("alice", port: parley.port).sessionToken
            try await WebDriver.use { driver in
                let browser = try await driver.openBrowser()
                try await browser.open(page.baseURL)
                let seen = try await browser.runAsync(
                    """
                    const { createClient } = await import('/client/index.js');
                    const client = createClient({ url: '\(parley.baseURL)', token: '\(token)' });
                    await client.ready;
                    const { id } = await client.join('Garden');
                    await client.send(id, 'Hello', { files: [new File(['x'], 'x.txt', { type: 'text/plain' })] }).stored;
                    const messages = client.messages(id);
                    await new Promise((resolve) => { messages.subscribe((items) => { if (items.at(-1)?.parts.length === 1) resolve(); }); });
                    const { senderName, text } = messages.items.at(-1);
                    client.close();
                    const other = await fetch('\(closed.baseURL)/v1/me', { headers: { Authorization: 'Bearer x' } }).then(() => 'allowed', () => 'refused');
                    return [client.me.username, senderName, text, document.cookie, other];
                    """)
                #expect(seen == ["alice", "alice", "Hello", "", "refused"])
            }
        }

        private static let hasReact = FileManager.default.fileExists(atPath: "/usr/share/nodejs/react-dom")

        @Test(
            "React's StrictMode mounts each component twice, and the page has one socket",
            .enabled(if: hasReact, "Debian's node-react and node-react-dom are missing; deploy/install-packages test"))
        func react() async throws {
            let folder = try TemporaryDirectory()
            let build = try await ChildProcess.start(
                Repository.url("examples/react/build").path, [folder.path],
                environment: ["PATH": "/usr/local/bin:/usr/bin:/bin"], in: folder.path, output: folder.path + "/log")
            let end = try await build.exit(within: .seconds(60))
            let log = try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)
            try #require(end == .exited(0), "\(log ?? "")")
            try await withPages(2, folder: folder.path) { parley, pages in
                let (alice, bob) = (pages[0], pages[1])
                try await alice.logIn("alice")
                try await bob.logIn("bob")
                try await alice.say("Hello")
                for page in pages { try await page.sees(["alice: Hello [stored]"]) }
                try await bob.say("Hi")
                for page in pages { try await page.sees(["alice: Hello [stored]", "bob: Hi [stored]"]) }
                try await alice.browser.wait(for: "document.querySelector('#threads').dataset.state === 'open'")
                #expect(try await parley.openedSockets() == 2)
            }
        }
    }
}
