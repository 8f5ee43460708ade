import Foundation
import ParleyTestBrowser
import ParleyTestSupport

/// The console in one browser, in the words of its user.
struct ConsolePage {
    static let key = "pk_0123456789abcdef0123456789abcdef"

    let browser: Browser
    let baseURL: String

    // MARK: Getting in

    func open() async throws {
        try await browser.open(baseURL + "/console")
        try await browser.wait(for: Self.isOut)
    }

    func enter(key: String = Self.key) async throws {
        try await browser.clear("#key")
        try await browser.type(key, into: "#key")
        try await browser.click("#key-submit")
    }

    func logIn(_ name: String) async throws {
        try await browser.clear("#username")
        try await browser.type(name, into: "#username")
        try await browser.clear("#password")
        try await browser.type(ChatPage.password, into: "#password")
        try await browser.click("#login-submit")
    }

    func isIn() async throws {
        try await browser.wait(for: Self.isIn)
    }

    // MARK: Looking up

    /// Finds something by its whole name, which opens it.
    func find(_ name: String) async throws {
        try await browser.clear("#search")
        try await browser.type(name + "\u{E007}", into: "#search")
        try await browser.wait(for: "\(Self.text("detail-title")) === \(literal(name))")
    }

    /// Does what needs a confirmation, and confirms it.
    func confirm(_ selector: String) async throws {
        try await browser.click(selector)
        try await browser.click("#confirm-yes")
    }

    /// The text of a list's entries, or of a table's rows.
    func rows(_ id: String) async throws -> [String] {
        try await browser.run("return [...document.getElementById('\(id)').children].map((row) => row.innerText)")
            .array?.compactMap(\.string) ?? []
    }

    /// A screenshot in a directory that stays; an earlier one of this name is replaced.
    func photograph(_ name: String) async throws {
        try await ChatPage(browser: browser, baseURL: baseURL).photograph("console-" + name)
    }

    // MARK: JavaScript

    static let isOut = "!document.getElementById('login').hidden && document.getElementById('app').hidden"
    static let isIn =
        "document.getElementById('login').hidden && !document.getElementById('app').hidden "
        + "&& document.getElementById('nodes').children.length > 0"

    static func text(_ id: String) -> String { "document.getElementById('\(id)').textContent" }

    /// A string as it stands in a script.
    func literal(_ text: String) -> String { JSONValue.string(text).text }
}
