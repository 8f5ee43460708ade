import Foundation
import ParleyTestBrowser
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The web app with a login at an independent OpenID provider, in Chromium.
    @Suite struct OIDCWebAppTests {
        private func isShown(_ id: String, _ browser: Browser) async throws -> Bool {
            try await browser.run("return document.getElementById('\(id)').checkVisibility()").bool == true
        }

        private func wait(forLogin browser: Browser) async throws {
            try await browser.wait(for: "document.getElementById('login')?.checkVisibility()")
        }

        @Test("one presses the button, logs in there, comes back to the conversation, chats, and logs out")
        func logIn() async throws {
            let provider = try await OIDCServer.start()
            let parley = try await ParleyProcess.start(environment: provider.environment)
            let bob = try await TestUser.signUp("bob", port: parley.port)
            let garden = try await bob.join("Garden")
            try await WebDriver.use { driver in
                let browser = try await driver.openBrowser()
                let page = ChatPage(browser: browser, baseURL: parley.baseURL)
                try await browser.open(parley.baseURL + "/#/t/\(garden)")
                try await wait(forLogin: browser)
                #expect(
                    try await browser.run("return document.getElementById('login-provider').innerText")
                        == "Log in with Keymaster")
                for id in ["username", "password", "login-submit", "login-switch"] {
                    #expect(try await isShown(id, browser), "\(id)")
                }
                try await browser.click("#login-provider")
                try await browser.click("button[name=sub][value='17']")
                try await browser.wait(for: "document.getElementById('app')?.checkVisibility()")
                #expect(try await browser.run("return location.hash").string == "#/t/\(garden)")
                try await browser.wait(for: "document.getElementById('me').innerText.includes('alice')")
                try await page.join("Shed")
                try await page.say("hello from the provider")
                try await page.sees(["hello from the provider"])
                try await browser.click("#open-settings")
                try await browser.click("#logout")
                try await wait(forLogin: browser)
                #expect(try await browser.runAsync("return (await fetch('/v1/me')).status") == 401)
            }
            try await parley.kill()
            try await provider.stop()
        }

        @Test("without passwords there is only the button, and a refusal is explained in the language of the user")
        func onlyTheButton() async throws {
            let provider = try await OIDCServer.start()
            let parley = try await ParleyProcess.start(
                environment: provider.environment.merging(["PARLEY_WEB_PASSWORDS": "false"]) { $1 })
            try await WebDriver.use { driver in
                let browser = try await driver.openBrowser(.desktop, language: "de-DE")
                try await browser.open(parley.baseURL)
                try await wait(forLogin: browser)
                #expect(
                    try await browser.run("return document.getElementById('login-provider').innerText")
                        == "Mit Keymaster anmelden")
                for id in ["username", "password", "login-submit", "login-switch"] {
                    #expect(try await isShown(id, browser) == false, "\(id)")
                }
                try await browser.click("#login-provider")
                try await browser.click("button[name=action][value=deny]")
                try await wait(forLogin: browser)
                let notice = "document.getElementById('login-notice').innerText"
                try await browser.wait(for: "\(notice) === 'Die Anmeldung wurde abgebrochen oder abgelehnt.'")
                #expect(try await browser.run("return location.search").string == "")
                try await provider.stop()
                try await browser.open(parley.baseURL + "/?login_error=oidc_unavailable")
                try await browser.wait(for: "\(notice).startsWith('Der Anmeldedienst antwortet nicht.')")
            }
            try await parley.kill()
        }

        @Test("django-oauth-toolkit logs users in, too, who stay the same users")
        func toolkit() async throws {
            let port = FreePort.next()
            let parley = try await ParleyProcess.start(
                environment: OIDCServer.environment("http://127.0.0.1:\(port)/o"))
            // It has to know the address of Parley, which needs it at the first login only.
            let provider = try await OIDCServer.startToolkit(port, for: parley.baseURL)
            var ids: Set<String> = []
            for round in 0..<2 {
                try await WebDriver.use { driver in
                    let browser = try await driver.openBrowser()
                    let page = ChatPage(browser: browser, baseURL: parley.baseURL)
                    try await browser.open(parley.baseURL)
                    try await wait(forLogin: browser)
                    try await browser.click("#login-provider")
                    try await browser.type("alice", into: "#id_username")
                    try await browser.type(ChatPage.password, into: "#id_password")
                    try await browser.click("button[type=submit]")
                    try await browser.wait(for: "document.getElementById('app')?.checkVisibility()")
                    try await page.join("Round \(round)")
                    let me = try await browser.runAsync("return (await fetch('/v1/me')).json()")
                    #expect(me["username"] == "alice")
                    ids.insert(me["id"]?.string ?? "")
                }
            }
            #expect(ids.count == 1)
            try await parley.kill()
            try await provider.stop()
        }
    }
}
