import ParleyTestBrowser
import ParleyTestSupport
import Synchronization
import Testing

extension ConformanceTests {
    /// In parts, each within the time limit of a test.
    @Suite("The web app against the conformance kit")
    struct WebAppConformanceTests {
        /// What the room shows after "twice": each message once.
        private static let once = ["event 1", "event 2", "event 5", "one", "two"]

        @Test("it breaks no rule that fits a browser", arguments: 0..<4)
        func part(_ part: Int) async throws {
            let names = try ConformanceRecord.named("web app").scenarios(part: part, of: 4)
            try await WebDriver.use { driver in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (index, name) in names.enumerated() {
                        // Two at a time: their clocks are real.
                        if index >= 2 { try await group.next() }
                        let browser = try await driver.openBrowser(.desktop)
                        let page = PageDriver(browser)
                        group.addTask {
                            let result = try await KitRun.play(name, with: page)
                            #expect(result["outcome"]?.string == "ok", "\(name): \(KitRun.summary(result))")
                            if name == "twice" { #expect(page.texts.sorted() == Self.once) }
                            await browser.quit()
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }
}

/// The web app in a browser, with the room open. State is guarded by a mutex.
private final class PageDriver: KitRun.Driver {
    private let browser: Browser
    private let state = Mutex<(page: ChatPage?, newest: String)>((nil, ""))
    private let shown = Mutex<[String]>([])

    /// What the page has shown in the end.
    var texts: [String] { shown.withLock { $0 } }

    init(_ browser: Browser) { self.browser = browser }

    func begin(url: String, user: String, password: String) async throws {
        let page = ChatPage(browser: browser, baseURL: url)
        // A scenario may end the session before the page was seen to be connected, or before the room is shown.
        try await page.logIn(user, until: "(\(ChatPage.isConnected)) || \(ChatPage.isEnded)")
        state.withLock { $0.page = page }
        try await browser.wait(for: "\(ChatPage.row(of: "Conformance")) || \(ChatPage.isEnded)")
        guard try await browser.run("return \(ChatPage.isEnded)") != true else { return }
        try await page.open("Conformance")
        try await browser.wait(for: "!document.getElementById('text').disabled")
    }

    func obey(_ line: String) async throws {
        let (page, newest) = state.withLock { $0 }
        guard let page else { return }
        if line.hasPrefix("/edit ") {
            try await page.act("edit", on: newest)
            try await browser.clear("#text")
            try await page.say(line.split(separator: " ", maxSplits: 2).last.map(String.init) ?? "")
        } else if line == "/typing" {
            try await browser.type("x", into: "#text")
        } else if line != "/read" {
            // What is visible is read without being asked.
            try await page.say(line)
            state.withLock { $0.newest = line }
        }
    }

    func end() async {
        guard let page = state.withLock(\.page), let texts = try? await page.shownTexts() else { return }
        shown.withLock { $0 = texts }
    }
}
