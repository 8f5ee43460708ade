import ParleyTestBrowser
import ParleyTestSupport
import Synchronization
import Testing

extension ConformanceTests {
    /// In parts, each within the time limit of a test.
    @Suite("The JavaScript client in Chromium against the conformance kit")
    struct BrowserConformanceTests {
        @Test("it breaks no rule that fits a browser", arguments: 0..<4)
        func part(_ part: Int) async throws {
            let names = try ConformanceRecord.named("Chromium").scenarios(part: part, of: 4)
            try await WebDriver.use { driver in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (index, name) in names.enumerated() {
                        // Two at a time: their clocks are real.
                        if index >= 2 { try await group.next() }
                        let browser = try await driver.openBrowser()
                        let page = ClientPageDriver(browser)
                        group.addTask {
                            let result = try await KitRun.play(name, with: page)
                            #expect(result["outcome"]?.string == "ok", "\(name): \(KitRun.summary(result))")
                            #expect(page.doubled == [], "\(name)")
                            await browser.quit()
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }
}

/// `createClient` on a page of the kit that has no other script. A mutex guards what was shown twice.
private final class ClientPageDriver: KitRun.Driver {
    private let browser: Browser
    private let shownTwice = Mutex<[String]>([])

    /// The messages that were in one list twice.
    var doubled: [String] { shownTwice.withLock { $0 } }

    init(_ browser: Browser) { self.browser = browser }

    func begin(url: String, user: String, password: String) async throws {
        // The text of a module is a page of the kit's origin without scripts.
        try await browser.open(url + "/client/index.js")
        _ = try await browser.runAsync(
            """
            const { createClient } = await import('/client/index.js');
            const credentials = { username: \(JSONValue.string(user).text), password: \(JSONValue.string(password).text) };
            const client = createClient({ credentials });
            await client.ready;
            const room = client.threads.find(({ title }) => title === 'Conformance').id;
            const messages = client.messages(room);
            window.doubled = [];
            messages.subscribe((items) => {
                const ids = items.map(({ clientID }) => clientID).filter((id) => id);
                window.doubled.push(...ids.filter((id, index) => ids.indexOf(id) !== index));
            });
            window.obey = (line) => {
                const [, seq, text] = line.match(/^\\/edit (\\d+) (.*)$/) ?? [];
                if (seq) client.edit(room, messages.items.find((each) => each.seq === Number(seq)).id, text);
                else if (line === '/read') client.markRead(room);
                else if (line === '/typing') client.setTyping(room);
                else client.send(room, line);
            };
            """)
    }

    func obey(_ line: String) async throws { _ = try await browser.run("window.obey(arguments[0])", .string(line)) }

    func end() async {
        guard let doubled = try? await browser.run("return window.doubled").array else { return }
        shownTwice.withLock { $0 = doubled.compactMap(\.string) }
    }
}
