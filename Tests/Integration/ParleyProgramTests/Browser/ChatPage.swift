import Foundation
import ParleyTestBrowser
import ParleyTestServers
import ParleyTestSupport

/// The web client in one browser, in the words of its user.
struct ChatPage {
    let browser: Browser
    let baseURL: String

    /// What every account of these tests has.
    static let password = "correct horse"

    // MARK: Starting

    /// Starts a server and one browser for each screen, opens the page in them, and ends them all after `body`.
    static func withPages(
        _ screens: WebDriver.Screen..., language: String = "en-GB", environment: [String: String] = [:],
        body: (ParleyProcess, [ChatPage]) async throws -> Void
    ) async throws {
        let parley = try await ParleyProcess.start(environment: environment)
        try await WebDriver.use { driver in
            var pages: [ChatPage] = []
            for screen in screens {
                let page = ChatPage(
                    browser: try await driver.openBrowser(screen, language: language), baseURL: parley.baseURL)
                try await page.browser.open(page.baseURL)
                try await page.browser.wait(for: Self.isLoggedOut)
                pages.append(page)
            }
            try await body(parley, pages)
        }
    }

    /// Removes what this device has kept of conversations, not the login.
    func forgetKept() async throws {
        _ = try await browser.runAsync(
            """
            const { Database } = await import('/client/database.js');
            await Database.removeRead(JSON.parse(localStorage.getItem('parley.me')).id);
            """)
    }

    /// Waits until this device has the message of that text and the list of threads, besides the page's memory, and the files of
    /// the app. The page stores them a moment after it has shown them.
    func waitUntilKept(_ text: String) async throws {
        let isKept = """
            const opened = indexedDB.open(`parley-${JSON.parse(localStorage.getItem('parley.me')).id}`);
            const finished = (request) => new Promise((resolve, reject) => {
                request.onsuccess = () => resolve(request.result);
                request.onerror = () => reject(request.error);
            });
            const database = await finished(opened);
            const all = (name) => finished(database.transaction(name).objectStore(name).getAll());
            const [rows, threads] = [await all('rows'), await all('threads')];
            database.close();
            return threads.length > 0 && rows.some((row) => row.text === \(literal(text)))
                && await navigator.serviceWorker.ready.then(() => true);
            """
        if try await !eventually({ try await browser.runAsync(isKept) == true }) {
            throw TimedOut("copy of \(text) on this device", after: .patience)
        }
    }

    // MARK: Getting in

    /// Opens the page without an account and makes one.
    func signUp(_ name: String) async throws {
        try await browser.open(baseURL)
        try await browser.click("#login-switch")
        try await enter(name)
    }

    /// Opens the page and logs in.
    /// - Parameter condition: The JavaScript condition to wait for.
    func logIn(_ name: String, until condition: String = Self.isConnected) async throws {
        try await browser.open(baseURL)
        try await enter(name, until: condition)
    }

    private func enter(_ name: String, until condition: String = Self.isConnected) async throws {
        try await browser.clear("#username")
        try await browser.type(name, into: "#username")
        try await browser.type(Self.password, into: "#password")
        try await browser.click("#login-submit")
        try await browser.wait(for: condition)
    }

    // MARK: Talking

    /// Joins the room of that title, or creates it; this opens it.
    /// - Parameter visibility: The visibility of a new room, if the user chooses one.
    func join(_ title: String, visibility: String? = nil) async throws {
        try await browser.click("#open-new")
        try await browser.type(title, into: "#room-title")
        if let visibility { try await select(visibility) }
        // Not by its place, since the button moves when the rooms with such a title arrive.
        let create = "document.getElementById('room-create')"
        try await browser.wait(for: "((button) => button && !button.hidden && (button.click(), true))(\(create))")
        try await browser.wait(for: "document.getElementById('thread-title').textContent === \(literal(title))")
        try await browser.wait(for: "!document.getElementById('text').disabled")
    }

    /// Chooses the visibility of the room in the dialog.
    func select(_ visibility: String) async throws { try await select(visibility, in: "room-visibility") }

    /// Chooses an option of the field with that ID.
    func select(_ value: String, in field: String) async throws {
        try await browser.wait(for: "document.getElementById('\(field)')")
        _ = try await browser.run(
            """
            const select = document.getElementById('\(field)');
            select.value = \(literal(value));
            select.dispatchEvent(new Event('change', { bubbles: true }));
            """)
    }

    /// Opens the form about the open room, from the dialog of its members, which is opened if it is not.
    func openRoomSettings() async throws {
        // Another dialog that was closed may still be there.
        if try await browser.run("return document.querySelector('[data-action=open-room]') === null") == true {
            try await browser.click("#open-members")
        }
        try await browser.click("[data-action=open-room]")
        try await browser.wait(for: "document.getElementById('room-topic')")
    }

    /// Saves the form about a room, and waits until the server has it.
    func saveRoom() async throws {
        try await browser.click("[data-action=save-room]")
        try await browser.wait(
            for: "[...document.querySelectorAll('dialog form [role=status]')].at(-1)?.innerText === 'Saved.'")
    }

    /// Closes all dialogs.
    func closeDialogs() async throws {
        _ = try await browser.run("document.querySelectorAll('dialog').forEach((each) => each.close())")
    }

    /// Opens the thread of that title.
    func open(_ title: String) async throws {
        // In one script, since the list may be drawn again between two.
        try await browser.wait(for: "((row) => (row?.click(), Boolean(row)))(\(Self.row(of: title)))")
        try await browser.wait(for: "document.getElementById('thread-title').textContent === \(literal(title))")
    }

    /// Does something with the message of that text, by its toolbar: `reply`, `edit`, `remove`, `react` or `quick`.
    func act(_ action: String, on text: String) async throws {
        let message =
            "[...document.querySelectorAll('#messages [data-kind=message]')].find((each) => each.querySelector('.text')?.textContent === \(literal(text)))"
        try await browser.wait(for: message)
        _ = try await browser.run("(\(message)).focus()")
        try await browser.click("#messages article:focus-within .tools [data-action=\(action)]")
    }

    /// Writes a message and sends it with Enter; does not wait until it is confirmed.
    func say(_ text: String) async throws {
        try await browser.type(text + "\u{E007}", into: "#text")
    }

    /// Gives files to the page as a user does, by `choose`, `drop` or `paste`, and waits until they can be sent.
    /// - Parameter files: a JavaScript expression, in which `photo(width, height, type)` makes a picture.
    func give(by way: String, _ files: String) async throws {
        _ = try await browser.runAsync(
            """
            const photo = async (width, height, type = 'image/jpeg') => {
                const canvas = Object.assign(document.createElement('canvas'), { width, height });
                const context = canvas.getContext('2d');
                const colours = context.createLinearGradient(0, 0, width, height);
                colours.addColorStop(0, '#2a6f97');
                colours.addColorStop(1, '#f4a259');
                context.fillStyle = colours;
                context.fillRect(0, 0, width, height);
                const blob = await new Promise((resolve) => { canvas.toBlob(resolve, type); });
                return new File([blob], `photo.${type.slice(6)}`, { type });
            };
            const data = new DataTransfer();
            for (const file of \(files)) data.items.add(file);
            const common = { bubbles: true, cancelable: true };
            const input = document.getElementById('file');
            const drag = (type) => document.getElementById('thread').dispatchEvent(new DragEvent(type, { ...common, dataTransfer: data }));
            ({
                choose: () => {
                    input.files = data.files;
                    input.dispatchEvent(new Event('change'));
                },
                drop: () => ['dragenter', 'dragover', 'drop'].forEach(drag),
                paste: () => document.getElementById('text').dispatchEvent(new ClipboardEvent('paste', { ...common, clipboardData: data })),
            })['\(way)']();
            """)
        try await browser.wait(for: "document.querySelectorAll('#tray li.busy').length === 0")
    }

    /// Waits until exactly these messages are shown and none is unconfirmed.
    func sees(_ texts: [String], within limit: Duration = .patience) async throws {
        try await browser.wait(
            for: "\(Self.texts).join('\\n') === \(literal(texts.joined(separator: "\n")))", within: limit)
        try await browser.wait(for: "\(Self.pending).length === 0", within: limit)
    }

    /// The texts that are shown as confirmed.
    func shownTexts() async throws -> [String] {
        try await browser.run("return \(Self.texts)").array?.compactMap(\.string) ?? []
    }

    /// The text of the badge of the thread of that title; empty if it has none.
    func waitForBadge(_ badge: String, on title: String) async throws {
        let shown =
            "[\(Self.row(of: title))?.querySelector('.badge')].map((b) => b && (b.hidden ? '' : b.textContent))[0]"
        try await browser.wait(for: "\(shown) === \(literal(badge))")
    }

    /// A screenshot in a directory that stays; an earlier one of this name is replaced.
    func photograph(_ name: String) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "parley-screenshots")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let file = directory.appending(path: name + ".png")
        try await browser.screenshot().write(to: file)
        print("screenshot: \(file.path(percentEncoded: false))")
    }

    func logOut() async throws {
        try await browser.click("#open-settings")
        try await browser.click("#logout")
        try await browser.wait(for: Self.isLoggedOut)
    }

    /// Sends to the open thread over HTTP, as a program that is not this app may.
    func send(text: String, parts: JSONValue = []) async throws {
        let status = try await browser.runAsync(
            """
            const thread = location.hash.split('/')[2];
            const body = JSON.stringify({ text: \(JSONValue.string(text).text), parts: \(parts.text) });
            const headers = { 'Content-Type': 'application/json' };
            return (await fetch(`/v1/threads/${thread}/messages`, { method: 'POST', headers, body })).status;
            """)
        guard status == 201 else { throw NotSent(status: status.text) }
    }

    /// The server has refused a message.
    struct NotSent: Error { let status: String }

    // MARK: JavaScript

    static let isConnected =
        "!document.getElementById('app').hidden && document.getElementById('banner').hidden"
    /// Whether the page tells why a session has ended.
    static let isEnded = "!document.getElementById('login-notice').hidden"
    static let isLoggedOut = "!document.getElementById('login').hidden"
    static let isConnecting =
        "!document.getElementById('banner').hidden && "
        + "document.getElementById('banner').innerText.startsWith('Connecting…')"
    static let texts =
        "[...document.querySelectorAll('#messages [data-kind=message] .text')].map((each) => each.textContent)"
    static let pending = "document.querySelectorAll('#messages [data-kind=pending]')"

    /// The row of the thread of that title; undefined if the list does not show it.
    static func row(of title: String) -> String {
        "[...document.querySelectorAll('.thread')]"
            + ".find((each) => each.querySelector('.thread-label').textContent === \(JSONValue.string(title).text))"
    }

    /// A string as it stands in a script.
    private func literal(_ text: String) -> String { JSONValue.string(text).text }
}
