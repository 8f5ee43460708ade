import Foundation
import ParleyTestBrowser
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The page `/docs` in a real browser: the REST description and the protocol as people read them.
    @Suite struct DocsTests {
        private static func run(_ body: (ParleyProcess, ChatPage) async throws -> Void) async throws {
            let parley = try await ParleyProcess.start()
            try await WebDriver.use { driver in
                let browser = try await driver.openBrowser(.desktop)
                try await browser.open(parley.baseURL + "/docs")
                try await browser.wait(for: "document.body.dataset.ready === 'true'")
                try await body(parley, ChatPage(browser: browser, baseURL: parley.baseURL))
            }
        }

        @Test("shows every operation and type of the description, without errors, in light and dark")
        func operations() async throws {
            try await Self.run { parley, page in
                let description = try await parley.http.get("/openapi.json").json()
                let operations = description["paths"]?.object ?? [:]
                let ids = operations.values.flatMap { item in
                    item.object?.values.compactMap { $0["operationId"]?.string } ?? []
                }
                #expect(ids.count > 40)
                let shown = try await page.browser.run(
                    "return [...document.querySelectorAll('#rest .operation')].map((each) => each.id)")
                #expect(Set(shown.array?.compactMap(\.string) ?? []) == Set(ids.map { "rest/\($0)" }))
                let types = description["components"]?["schemas"]?.object?.keys.map { "rest/type-\($0)" } ?? []
                for type in types {
                    #expect(
                        try await page.browser.run("return document.getElementById('\(type)') !== null") == true,
                        "\(type)")
                }
                try await page.photograph("docs-rest")
                try await page.browser.prefersDark(true)
                try await page.photograph("docs-rest-dark")
                #expect(try await page.browser.scriptErrors() == [])
            }
        }

        /// The files of the documents, by their names on the page.
        private static let documents = [
            "protocol": "PROTOCOL", "sockets": "protocol/sockets", "calls": "protocol/rest",
            "admin": "protocol/admin", "examples": "examples",
        ]

        @Test("shows every heading and table of the protocol, and every link within the page leads somewhere")
        func protocolDocument() async throws {
            try await Self.run { _, page in
                for (name, file) in Self.documents {
                    let text = try Repository.text("docs/\(file).md")
                    try await page.browser.click("#tab-\(name)")
                    try await page.browser.wait(for: "!document.getElementById('\(name)').hidden")
                    #expect(try await page.browser.run("return document.getElementById('rest').hidden") == true)
                    let headings = text.split(separator: "\n").filter { $0.hasPrefix("#") }
                        .map { String($0.drop { $0 == "#" || $0 == " " }).replacing("`", with: "") }
                    let shown = try await page.browser.run(
                        "return [...document.querySelectorAll('#\(name) :is(h1, h2, h3, h4)')].map((each) => each.textContent)"
                    )
                    #expect(shown.array?.compactMap(\.string) == headings)
                    let tables = text.split(separator: "\n").count { $0.hasPrefix("|---") }
                    #expect(
                        try await page.browser.run("return document.querySelectorAll('#\(name) table').length").int
                            == tables)
                }
                try await page.browser.click("#tab-protocol")
                let broken = try await page.browser.run(
                    """
                    return [...document.querySelectorAll('main a[href^="#"], #contents a')].map((each) => each.hash.slice(1))
                        .filter((id) => !document.getElementById(decodeURIComponent(id)))
                    """)
                #expect(broken == [])
                try await page.browser.click("#contents a[href='#protocol/close-codes']")
                try await page.browser.wait(
                    for: "document.getElementById('protocol/close-codes').getBoundingClientRect().top < 200")
                try await page.browser.open(page.baseURL + "/docs#protocol")
                try await page.photograph("docs-protocol")
                try await page.browser.prefersDark(true)
                try await page.photograph("docs-protocol-dark")
                #expect(try await page.browser.scriptErrors() == [])
            }
        }

        @Test("finds sections of all documents without asking the server, by mouse and by keys")
        func search() async throws {
            try await Self.run { _, page in
                let browser = page.browser
                let requests = "return performance.getEntriesByType('resource').length"
                let before = try await browser.run(requests)
                try await browser.type("export user", into: "#query")
                try await browser.wait(for: "document.querySelectorAll('#hits li').length > 2")
                let documents = try await browser.run(
                    "return [...document.querySelectorAll('#hits .where')].map((each) => each.textContent)")
                let names = documents.array?.compactMap(\.string) ?? []
                #expect(names.contains("REST reference") && names.contains("REST"))
                try await page.photograph("docs-search")
                #expect(try await browser.run(requests) == before)
                // Enter leads to the first result, and the list is gone.
                let first = try await browser.run("return document.querySelector('#hits a').hash")
                try await browser.type("\u{E007}", into: "#query")
                try await browser.wait(for: "document.getElementById('results').hidden")
                #expect(try await browser.run("return location.hash") == first)
                let target = "document.getElementById(decodeURIComponent(location.hash.slice(1)))"
                try await browser.wait(for: "Math.abs(\(target).getBoundingClientRect().top) < 200")
                try await browser.type("xylophone", into: "#query")
                try await browser.wait(for: "document.getElementById('count').textContent === 'No sections'")
                try await browser.type("\u{E00C}", into: "#query")
                try await browser.wait(for: "document.getElementById('results').hidden")
                #expect(try await browser.scriptErrors() == [])
            }
        }
    }
}
