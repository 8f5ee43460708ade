package import Foundation
package import ParleyTestSupport

/// A browser with one page, driven as a user would. Calls belong to one task at a time.
///
/// Calls on an element wait until it can be used. Every wait has a limit; nothing waits for a fixed time.
package final class Browser: Sendable {
    /// The page did not reach the expected state.
    package struct NotSeen: Error, CustomStringConvertible {
        package let what: String
        package let limit: Duration
        /// The text that the page shows instead.
        package let page: String
        /// The entries of the page's console.
        package let console: [String]

        package var description: String {
            "not seen within \(limit): \(what)\nthe page shows: \(page)\nconsole: \(console.joined(separator: "\n"))"
        }
    }

    private let port: Int
    private let path: String

    init(port: Int, path: String) {
        self.port = port
        self.path = path
    }

    // MARK: Pages

    package func open(_ url: String) async throws {
        _ = try await WebDriverCall.post(port, path + "/url", ["url": .string(url)], within: .seconds(60))
    }

    package func reload() async throws {
        _ = try await WebDriverCall.post(port, path + "/refresh", within: .seconds(60))
    }

    // MARK: Tabs

    /// Opens another tab, which is shown from now on.
    /// - Returns: the handle of the tab that was shown before.
    package func openTab(_ url: String) async throws -> String {
        let previous = try await WebDriverCall.get(port, path + "/window").string ?? ""
        let tab = try await WebDriverCall.post(port, path + "/window/new", ["type": "tab"])
        try await show(tab: tab["handle"]?.string ?? "")
        try await open(url)
        return previous
    }

    package func show(tab handle: String) async throws {
        _ = try await WebDriverCall.post(port, path + "/window", ["handle": .string(handle)])
    }

    /// Closes the tab that is shown, and shows another.
    package func closeTab(thenShow handle: String) async throws {
        try await WebDriverCall.delete(port, path + "/window")
        try await show(tab: handle)
    }

    /// A PNG of the visible area.
    package func screenshot() async throws -> Data {
        let value = try await WebDriverCall.get(port, path + "/screenshot")
        return Data(base64Encoded: value.string ?? "") ?? Data()
    }

    /// Emulates the system's colour scheme.
    package func prefersDark(_ isDark: Bool) async throws {
        let feature: JSONValue = ["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]
        try await execute("Emulation.setEmulatedMedia", ["features": [feature]])
    }

    /// A command of the DevTools protocol, for what WebDriver does not have.
    package func execute(_ command: String, _ parameters: JSONValue) async throws {
        _ = try await WebDriverCall.post(
            port, path + "/goog/cdp/execute", ["cmd": .string(command), "params": parameters])
    }

    // MARK: Scripts

    /// The value that `script`, the body of a function, returns.
    package func run(_ script: String, _ arguments: JSONValue...) async throws -> JSONValue {
        try await WebDriverCall.post(
            port, path + "/execute/sync", ["script": .string(script), "args": .array(arguments)])
    }

    /// The value that `script`, the body of an `async` function, resolves to.
    /// - Throws: ``WebDriverError`` with the script's own error.
    package func runAsync(_ script: String) async throws -> JSONValue {
        let wrapped = """
            const done = arguments[arguments.length - 1];
            (async () => { \(script) })().then((value) => done({ value }), (error) => done({ error: String(error) }));
            """
        let outcome = try await WebDriverCall.post(
            port, path + "/execute/async", ["script": .string(wrapped), "args": []])
        if let error = outcome["error"]?.string { throw WebDriverError(code: "script", message: error) }
        return outcome["value"] ?? .null
    }

    /// Waits until the JavaScript expression is true.
    /// - Throws: ``NotSeen``.
    package func wait(for expression: String, within limit: Duration = .patience) async throws {
        let isTrue = try await eventually(within: limit) {
            try await run("return Boolean(\(expression))").bool == true
        }
        if !isTrue { throw await notSeen(expression, within: limit) }
    }

    // MARK: Elements

    package func click(_ selector: String, within limit: Duration = .patience) async throws {
        try await onElement(selector, "/click", [:], within: limit)
    }

    /// Appends text to a field. Only characters of the Basic Multilingual Plane.
    package func type(_ text: String, into selector: String, within limit: Duration = .patience) async throws {
        try await onElement(selector, "/value", ["text": .string(text)], within: limit)
    }

    package func clear(_ selector: String) async throws {
        try await onElement(selector, "/clear", [:], within: .patience)
    }

    /// Presses keys one after the other, wherever the focus is. Special keys are those of WebDriver, `U+E000` and above.
    /// - Parameter modifier: a key that is held down meanwhile, such as Shift.
    package func press(_ keys: String, holding modifier: Character? = nil) async throws {
        let stroke = { (type: String, key: Character) -> JSONValue in
            ["type": .string(type), "value": .string(String(key))]
        }
        var strokes = keys.flatMap { [stroke("keyDown", $0), stroke("keyUp", $0)] }
        if let modifier { strokes = [stroke("keyDown", modifier)] + strokes + [stroke("keyUp", modifier)] }
        let keyboard: JSONValue = ["type": "key", "id": "keyboard", "actions": .array(strokes)]
        _ = try await WebDriverCall.post(port, path + "/actions", ["actions": [keyboard]])
    }

    private func onElement(
        _ selector: String, _ action: String, _ body: JSONValue, within limit: Duration
    ) async throws {
        let isDone = try await eventually(within: limit) {
            do {
                let query: JSONValue = ["using": "css selector", "value": .string(selector)]
                let found = try await WebDriverCall.post(port, path + "/element", query)
                guard let id = found.object?.values.first?.string else { return false }
                _ = try await WebDriverCall.post(port, path + "/element/\(id)" + action, body)
                return true
            } catch let error as WebDriverError where error.isPassing {
                return false
            }
        }
        if !isDone { throw await notSeen("\(selector), to be used", within: limit) }
    }

    // MARK: Console

    /// Script errors and violations of the content security policy since the last call, without failed requests.
    package func scriptErrors() async throws -> [String] {
        try await consoleEntries().filter { $0["level"] == "SEVERE" && $0["source"] != "network" }
            .compactMap { $0["message"]?.string }
    }

    private func consoleEntries() async throws -> [JSONValue] {
        try await WebDriverCall.post(port, path + "/se/log", ["type": "browser"]).array ?? []
    }

    private func notSeen(_ what: String, within limit: Duration) async -> NotSeen {
        let page = try? await run("return document.title + ' | ' + document.body.innerText.slice(-1500)").string
        let console = (try? await consoleEntries())?.compactMap { $0["message"]?.string } ?? []
        return NotSeen(what: what, limit: limit, page: page ?? "nothing", console: console)
    }

    /// Closes the browser. One that does not respond ends with the driver.
    package func quit() async {
        try? await WebDriverCall.delete(port, path)
    }
}
