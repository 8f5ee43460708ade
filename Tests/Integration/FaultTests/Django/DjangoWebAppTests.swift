import ParleyTestBrowser
import ParleyTestSupport
import Testing

@Suite("The web app in a Django site", .timeLimit(.minutes(3)))
struct DjangoWebAppTests {
    private static let isIn =
        "document.getElementById('app')?.checkVisibility() && document.getElementById('banner').hidden"
    private static let isOut =
        "document.getElementById('entrance-login')?.checkVisibility() && !document.getElementById('app').checkVisibility()"

    /// Logs in at Django's own form, to which the page has sent the visitor.
    private func logIn(_ name: String, _ browser: Browser) async throws {
        try await browser.wait(for: "location.pathname === '/login/'")
        try await browser.type(name, into: "#id_username")
        try await browser.type("correct horse", into: "#id_password")
        try await browser.click("button")
        try await browser.wait(for: Self.isIn)
    }

    private func say(_ text: String, in title: String, _ browser: Browser) async throws {
        try await browser.click("#open-new")
        try await browser.type(title, into: "#room-title")
        try await browser.click("#room-create")
        try await browser.type("\(text)\u{E007}", into: "#text")
        try await browser.wait(
            for: "document.getElementById('messages').innerText.includes('\(text)')"
                + " && document.getElementById('receipt').innerText === 'Sent'")
    }

    @Test("is entered by Django's login, and closed everywhere by Django's logout")
    func loginAndLogout() async throws {
        let site = try await DjangoWebSite.start()
        try await WebDriver.use { driver in
            let browser = try await driver.openBrowser()
            try await browser.open(site.baseURL + "/messenger/#/t/nowhere")
            try await logIn("alice", browser)
            // Back where the visitor wanted to go.
            #expect(try await browser.run("return location.pathname + location.hash") == "/messenger/#/t/nowhere")
            #expect(try await browser.run("return document.getElementById('inbox-heading').innerText") == "Garden Shop")
            try await say("a secret", in: "Garden", browser)

            // Nothing that is Django's business.
            try await browser.click("#open-settings")
            try await browser.wait(for: "document.getElementById('display-name')")
            #expect(try await browser.run("return document.querySelectorAll('input[type=password]').length") == 1)
            #expect(
                try await browser.run("return document.getElementById('password').checkVisibility()") == false)
            #expect(
                try await browser.run("return document.querySelector('dialog').innerText.includes('Devices')") == false)
            try await browser.click("[data-action=close]")

            // Logged out elsewhere in the site, and there by another browser's visitor.
            let messenger = try await browser.openTab(site.baseURL + "/")
            let status = try await browser.runAsync(
                """
                const token = document.cookie.match(/csrftoken=([^;]*)/)[1];
                const reply = await fetch('/logout/', { method: 'POST', headers: { 'X-CSRFToken': token } });
                return reply.status;
                """)
            #expect(status == 200)
            try await browser.closeTab(thenShow: messenger)
            try await browser.wait(for: Self.isOut)
            #expect(
                try await browser.run("return document.getElementById('entrance-text').innerText")
                    == "You were logged out.")
            #expect(try await browser.run("return document.body.innerHTML.includes('a secret')") == false)
            #expect(try await browser.run("return document.getElementById('login').checkVisibility()") == false)

            // Another user of the same device sees nothing of it, although this device remembered alice.
            try await browser.click("#entrance-login")
            try await logIn("bob", browser)
            #expect(try await browser.run("return document.body.innerHTML.includes('a secret')") == false)
            #expect(try await browser.run("return JSON.parse(localStorage.getItem('parley.me')).username") == "bob")

            // The app's own button is Django's logout.
            try await browser.click("#open-settings")
            try await browser.click("#logout")
            try await browser.wait(for: "location.pathname === '/login/'")
            #expect(try await browser.runAsync("return (await fetch('/v1/me')).status") == 401)
            #expect(try await browser.run("return localStorage.length") == 0)
            #expect(try await browser.scriptErrors() == [])
        }
        try await site.stop()
    }

    @Test("follows a login of another user, and does not send visitors round in circles")
    func otherUser() async throws {
        let site = try await DjangoWebSite.start(environment: ["PARLEY_WEB_FRAME_ANCESTORS": "self"])
        try await WebDriver.use { driver in
            let browser = try await driver.openBrowser()
            try await browser.open(site.baseURL + "/messenger/")
            try await logIn("alice", browser)
            try await say("a secret", in: "Garden", browser)
            // The page is closed while Django's login changes.
            try await browser.open(site.baseURL + "/login/")
            try await browser.type("bob", into: "#id_username")
            try await browser.type("correct horse", into: "#id_password")
            try await browser.click("button")
            try await browser.wait(for: "location.pathname === '/'")
            try await browser.open(site.baseURL + "/messenger/")
            try await browser.wait(for: Self.isIn)
            #expect(try await browser.run("return JSON.parse(localStorage.getItem('parley.me')).username") == "bob")
            #expect(try await browser.run("return document.body.innerHTML.includes('a secret')") == false)

            // A page of the site shows the app in a frame.
            try await browser.open(site.baseURL + "/")
            _ = try await browser.run(
                "document.body.append(Object.assign(document.createElement('iframe'), { src: '/messenger/', width: 390, height: 600 }))"
            )
            let frame = "document.querySelector('iframe').contentDocument"
            try await browser.wait(
                for: "\(frame)?.getElementById('app')?.checkVisibility() && \(frame).getElementById('banner').hidden")

            // Django believes a login that Parley refuses: one with a name that Parley does not allow.
            try await site.site.run("sign-up", "m%y")
            try await browser.execute("Network.clearBrowserCookies", [:])
            try await browser.open(site.baseURL + "/messenger/")
            try await browser.wait(for: "location.pathname === '/login/'")
            try await browser.type("m%y", into: "#id_username")
            try await browser.type("correct horse", into: "#id_password")
            try await browser.click("button")
            try await browser.wait(for: Self.isOut)
            #expect(
                try await browser.run("return document.getElementById('entrance-text').innerText") == "Log in to go on."
            )
        }
        try await site.stop()
    }
}
