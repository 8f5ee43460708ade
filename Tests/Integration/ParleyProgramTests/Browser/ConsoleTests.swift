import Foundation
import ParleyTestBrowser
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The console in a real browser, against the real server.
    @Suite struct ConsoleTests {
        @Test("an API key opens it, a wrong one does not; it shows the node, live, and forgets the key on signing out")
        func keys() async throws {
            try await withPage { parley, page in
                let browser = page.browser
                try await page.photograph("login")
                try await page.enter(key: "pk_00000000000000000000000000000000")
                try await browser.wait(for: "\(ConsolePage.text("login-error")) === 'The API key is wrong.'")
                try await page.enter()
                try await page.isIn()
                let node = try #require(try await page.rows("nodes").first)
                #expect(node.hasPrefix("parley"))
                #expect(node.contains("serve"))
                try await browser.wait(for: "\(ConsolePage.text("health")) === 'All well'")
                let alice = try await TestUser.signUp("alice", port: parley.port)
                let socket = try await alice.socket()
                let sockets = "document.querySelector('#tiles [data-key=sockets] .value').textContent"
                try await browser.wait(for: "\(sockets) === '1'")
                try await socket.close()
                try await browser.wait(for: "\(sockets) === '0'")

                // A reload keeps the key, another tab's storage has none.
                try await browser.reload()
                try await page.isIn()
                #expect(try await browser.run("return JSON.stringify(localStorage)") == "{}")
                try await browser.click("#sign-out")
                try await browser.wait(for: ConsolePage.isOut)
                try await browser.reload()
                try await browser.wait(for: ConsolePage.isOut)
                #expect(try await browser.scriptErrors() == [])
            }
        }

        @Test("an administrator gets in by password, others are told why not")
        func sessions() async throws {
            try await withPage(environment: ["PARLEY_AUTH_ADMINS": "root, boss"]) { parley, page in
                let made = try await service(parley).post(
                    "/v1/admin/users", json: ["username": "root", "password": .string(ChatPage.password)])
                #expect(made.status == 201)
                _ = try await TestUser.signUp("alice", port: parley.port)
                try await page.logIn("alice")
                let rejection = "You are logged in, but only an API key or an operator may do this."
                try await page.browser.wait(for: "\(ConsolePage.text("login-error")) === '\(rejection)'")
                try await page.logIn("root")
                try await page.isIn()
                // Endpoints get texts, which operators do not see.
                try await page.browser.click("#webhooks summary")
                try await page.browser.wait(
                    for: "\(ConsolePage.text("webhook-note")).startsWith('Webhooks need an API key')")
                // What an administrator may a page of another origin may not.
                try await page.browser.click("#sign-out")
                try await page.browser.wait(for: ConsolePage.isOut)
                let status = try await page.browser.runAsync("return (await fetch('/v1/admin/nodes')).status")
                #expect(status == 401)
            }
        }

        @Test("users and rooms are made, found, filled and emptied; sockets and positions are shown; text is text")
        func work() async throws {
            try await withPage { parley, page in
                let browser = page.browser
                try await page.enter()
                try await page.isIn()
                let title = "<img src=x onerror=\"document.title='bad'\"> & co"
                try await browser.click("#make-thread-summary")
                try await browser.type(title, into: "#make-title")
                try await browser.type("room-1", into: "#make-thread-id")
                try await browser.click("#make-thread-submit")
                try await browser.wait(for: "\(ConsolePage.text("detail-title")) === \(page.literal(title))")
                // What was made is scrolled to, so that the form may be behind the bar.
                _ = try await browser.run("document.getElementById('make-user-summary').scrollIntoView()")
                try await browser.click("#make-user-summary")
                try await browser.type("alice", into: "#make-username")
                try await browser.type(ChatPage.password, into: "#make-password")
                try await browser.click("#make-user-submit")
                try await browser.wait(for: "\(ConsolePage.text("detail-title")) === 'alice'")
                // The same name again is refused, in the server's words.
                _ = try await browser.run("document.getElementById('make-user-summary').scrollIntoView()")
                try await browser.click("#make-user-summary")
                try await browser.type("alice", into: "#make-username")
                try await browser.click("#make-user-submit")
                try await browser.wait(for: "\(ConsolePage.text("make-user-error")) === 'the username is taken'")

                try await page.find(title)
                try await browser.type("alice", into: "#member-name")
                try await browser.click("#member-submit")
                try await browser.wait(for: "document.getElementById('members').children.length === 1")
                try await browser.type("nobody", into: "#member-name")
                try await browser.click("#member-submit")
                try await browser.wait(for: "\(ConsolePage.text("member-error")) === 'no such user'")

                let alice = try await TestUser.logIn("alice", password: ChatPage.password, port: parley.port)
                let socket = try await alice.socket(subprotocols: ["parley.v1"])
                let classic = try await alice.socket()
                for text in ["one", "two"] {
                    try await classic.say(text, in: "room-1")
                    _ = try await classic.nextMessage()
                }
                try await browser.wait(for: "document.getElementById('sockets').children.length === 2")
                let position = "document.querySelector('#sockets td:last-child').textContent"
                try await browser.wait(for: "\(position) === '3'")
                try await page.find("alice")
                try await browser.wait(for: "document.getElementById('sockets').children.length === 2")
                #expect(try await page.rows("places").first?.contains("onerror") == true)
                try await page.photograph("user")

                // One session is ended, and the other stays.
                let again = try await TestUser.logIn("alice", password: ChatPage.password, port: parley.port)
                try await page.find(title)
                try await page.find("alice")
                let sessions = "document.getElementById('sessions').children.length"
                try await browser.wait(for: "\(sessions) === 2")
                try await page.confirm("#sessions li:first-child button")
                try await browser.wait(for: "\(ConsolePage.text("detail-note")) === 'The session is ended.'")
                try await browser.wait(for: "\(sessions) === 1")
                #expect(try await again.http.get("/v1/me").status == 401)
                #expect(try await alice.http.get("/v1/me").status == 200)

                // Revoking asks first; a no changes nothing.
                try await browser.click("#revoke")
                try await browser.click("#confirm button[value=cancel]")
                #expect(try await alice.http.get("/v1/me").status == 200)
                try await page.confirm("#revoke")
                try await browser.wait(for: "\(ConsolePage.text("detail-note")) === '1 session was ended.'")
                #expect(try await socket.closeCode() == 4001)
                #expect(try await classic.closeCode() == 4001)
                #expect(try await alice.http.get("/v1/me").status == 401)

                try await page.find(title)
                try await page.confirm("#members button")
                try await browser.wait(for: "document.getElementById('members').children.length === 0")
                let made = try await browser.run("return document.querySelectorAll('#app li img, #app td img').length")
                #expect(made == 0)
                #expect(try await browser.run("return document.title") == "Parley console")
                #expect(try await browser.scriptErrors() == [])
            }
        }

        @Test("users and rooms are restricted and removed, the audit log tells it, and the last hour is drawn")
        func removals() async throws {
            try await withPage { parley, page in
                let browser = page.browser
                let alice = try await TestUser.signUp("alice", port: parley.port)
                let title = "<b onclick=\"document.title='bad'\">Tea</b>"
                let made = try await service(parley).post(
                    "/v1/admin/threads", json: ["id": "tea", "title": .string(title)])
                #expect(made.status == 201)
                try await page.enter()
                try await page.isIn()
                try await browser.wait(for: "document.querySelectorAll('#charts svg[aria-label]').length === 6")

                try await page.find("alice")
                try await browser.type("2", into: "#suspend-hours")
                try await browser.type("<i>spam</i>", into: "#suspend-reason")
                try await page.confirm("#suspend-submit")
                try await browser.wait(for: "\(ConsolePage.text("suspension")).includes('more: <i>spam</i>')")
                #expect(try await alice.http.get("/v1/me").status == 403)
                try await browser.click("#unsuspend")
                try await browser.wait(for: "document.getElementById('suspension').hidden")
                #expect(try await alice.http.get("/v1/me").status == 200)
                try await page.confirm("#operator")
                try await browser.wait(for: "\(ConsolePage.text("operator")) === 'Take operator rights'")
                try await page.photograph("account")

                try await page.find(title)
                try await browser.type("alice", into: "#sanction-user")
                try await browser.click("#sanction-submit")
                try await browser.wait(for: "document.getElementById('sanctions').children.length === 1")
                try await page.photograph("room")
                try await browser.click("#sanctions button")
                try await browser.wait(for: "document.getElementById('sanctions').children.length === 0")

                // What is final needs the name.
                try await browser.click("#delete-room")
                #expect(try await browser.run("return document.getElementById('confirm-yes').disabled") == true)
                try await browser.type(title, into: "#confirm-name")
                try await browser.click("#confirm-yes")
                try await browser.wait(for: "\(ConsolePage.text("search-note")).endsWith('was deleted.')")
                #expect(try await service(parley).get("/v1/admin/threads/tea").status == 404)
                try await page.find("alice")
                try await browser.click("#erase")
                try await browser.type("alice", into: "#confirm-name")
                try await browser.click("#confirm-yes")
                try await browser.wait(for: "\(ConsolePage.text("search-note")) === 'alice was erased.'")
                #expect(try await alice.http.get("/v1/me").status == 401)

                try await browser.click("#audit summary")
                try await browser.wait(for: "document.getElementById('audit-rows').children.length >= 7")
                let rows = try await page.rows("audit-rows")
                #expect(rows.first?.contains("erased") == true)
                try await page.photograph("audit")
                try await browser.type("thread_deleted", into: "#audit-action")
                try await browser.click("#audit-submit")
                try await browser.wait(for: "document.getElementById('audit-rows').children.length === 1")
                #expect(try await browser.run("return document.querySelectorAll('#app td b, #app li b').length") == 0)
                #expect(try await browser.run("return document.title") == "Parley console")
                #expect(try await browser.scriptErrors() == [])
            }
        }

        @Test("groups of readers of events are shown with their lag, moved, and deleted with their name")
        func eventGroups() async throws {
            try await withPage { parley, page in
                let browser = page.browser
                let alice = try await TestUser.signUp("alice", port: parley.port)
                _ = try await alice.join("Room")
                let events = "/v1/admin/events?group=crm&worker=a"
                #expect(
                    try await eventually {
                        try await service(parley).get(events).text.contains("\"type\":\"joined\"")
                    })
                try await page.enter()
                try await page.isIn()
                try await browser.click("#event-groups summary")
                let cells = "[...document.querySelectorAll('#event-rows td')].map((cell) => cell.textContent)"
                try await browser.wait(for: "\(cells)[0] === 'crm' && \(cells)[1] === 'a'")
                #expect(try await browser.run("return \(cells)[2] !== 'nothing unread'") == true)
                try await browser.click("#event-place option[value=end]")
                try await page.confirm("#event-move-submit")
                try await browser.wait(for: "\(cells)[2] === 'nothing unread'")
                try await browser.wait(for: "\(cells)[1] === 'none since it was moved'")
                try await page.photograph("events")
                try await browser.click("#event-rows button")
                #expect(try await browser.run("return document.getElementById('confirm-yes').disabled") == true)
                try await browser.type("crm", into: "#confirm-name")
                try await browser.click("#confirm-yes")
                try await browser.wait(for: "document.getElementById('event-table').hidden")
                #expect(try await browser.scriptErrors() == [])
            }
        }

        @Test("an endpoint of webhooks is added with a secret that is shown once, changed, and deleted with its host")
        func webhooks() async throws {
            try await withPage { _, page in
                let browser = page.browser
                try await page.enter()
                try await page.isIn()
                try await browser.click("#webhooks summary")
                try await browser.wait(for: "\(ConsolePage.text("webhook-note")) === 'No endpoint gets events.'")
                try await browser.click("#webhook-make summary")
                try await browser.type("https://127.0.0.1/hook", into: "#webhook-add-url")
                try await browser.click("#webhook-add-enabled option[value=no]")
                try await browser.click("#webhook-add-submit")
                try await browser.wait(for: "\(ConsolePage.text("webhook-add-error")).startsWith('url: ')")
                try await browser.clear("#webhook-add-url")
                try await browser.type("https://shop.example/hook", into: "#webhook-add-url")
                try await browser.click("#webhook-add-submit")
                let secret = "document.getElementById('webhook-secret').value"
                try await browser.wait(for: "\(secret).startsWith('whsec_')")
                try await page.photograph("webhook-secret")
                try await browser.click("#webhook-secret-done")
                #expect(try await browser.run("return \(secret)") == "")
                let cells = "[...document.querySelectorAll('#webhook-rows td')].map((cell) => cell.textContent)"
                try await browser.wait(
                    for: "\(cells)[0] === 'https://shop.example/hook' && \(cells)[2] === 'disabled by a back end'")
                try await browser.wait(for: "\(ConsolePage.text("letters-note")) === 'It has no dead letters.'")
                try await browser.type("message, edited", into: "#webhook-kinds")
                try await browser.click("#webhook-change-submit")
                try await browser.wait(for: "\(cells)[1] === 'edited, message'")
                try await page.confirm("#webhook-secrets-submit")
                try await browser.wait(for: "\(secret).startsWith('whsec_')")
                try await browser.wait(for: "!document.getElementById('webhook-old-secret').hidden")
                try await page.confirm("#webhook-old-secret")
                try await browser.wait(for: "document.getElementById('webhook-old-secret').hidden")
                try await browser.click("#pushes summary")
                try await browser.wait(for: "document.getElementById('push-rows').children.length === 3")
                try await page.photograph("webhooks")
                try await browser.click("#webhook-delete")
                #expect(try await browser.run("return document.getElementById('confirm-yes').disabled") == true)
                try await browser.type("shop.example", into: "#confirm-name")
                try await browser.click("#confirm-yes")
                try await browser.wait(for: "document.getElementById('webhook-table').hidden")
                #expect(try await browser.scriptErrors() == [])
            }
        }

        @Test("a node is drained: it says so, closes its sockets with 4200, and ends with 0")
        func drain() async throws {
            try await withPage(arguments: ["--drain-seconds", "2"]) { parley, page in
                try await page.enter()
                try await page.isIn()
                let alice = try await TestUser.signUp("alice", port: parley.port)
                let socket = try await alice.socket(subprotocols: ["parley.v1"])
                try await page.confirm("#nodes button")
                #expect(try await socket.nextJSON { $0["type"]?.string == "bye" }["reconnect_after_ms"]?.int != nil)
                #expect(try await socket.closeCode() == 4200)
                // Signal 0 is none: it only waits.
                #expect(try await parley.terminate(signal: 0) == .exited(0))
                try await page.browser.wait(for: "!document.getElementById('banner').hidden")
            }
        }

        @Test("what is unknown is said to be, and the page fits a phone")
        func phone() async throws {
            try await withPage(.phone) { _, page in
                let browser = page.browser
                try await page.enter()
                try await page.isIn()
                try await browser.open(page.baseURL + "/console#/user/no%20body")
                try await browser.wait(for: "\(ConsolePage.text("detail-title")) === 'Not found'")
                try await browser.click("#audit summary")
                try await browser.type("zzz\u{E007}", into: "#search")
                try await browser.wait(for: "!document.getElementById('search-note').hidden")
                let width = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
                #expect(try await browser.run(width) == 0)
                try await page.photograph("phone")
            }
        }

        private func service(_ parley: ParleyProcess) -> HTTPClient {
            HTTPClient(port: parley.port, headers: [("Authorization", "Bearer \(ConsolePage.key)")])
        }

        /// Starts a server and a browser, opens the console in it, and ends them after `body`.
        private func withPage(
            _ screen: WebDriver.Screen = .desktop, arguments: [String] = [], environment: [String: String] = [:],
            body: (ParleyProcess, ConsolePage) async throws -> Void
        ) async throws {
            let settings = ["PARLEY_API_KEYS": "console:\(ConsolePage.key)"].merging(environment) { _, new in new }
            let parley = try await ParleyProcess.start(arguments: arguments, environment: settings)
            try await WebDriver.use { driver in
                let page = ConsolePage(browser: try await driver.openBrowser(screen), baseURL: parley.baseURL)
                try await page.open()
                try await body(parley, page)
            }
        }
    }
}
