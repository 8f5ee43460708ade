import Foundation
import ParleyTestBrowser
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The web app with the look of a site.
    @Suite struct WebAppSiteTests {
        private static let logo =
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"90\" height=\"30\"><rect width=\"90\" height=\"30\"/></svg>"

        @Test("has the name, the logo and the colors of the site, below its path, also without a network")
        func look() async throws {
            let directory = try TemporaryDirectory()
            let (theme, logo) = (directory.path + "/theme.css", directory.path + "/logo.svg")
            try ":root { --accent: rgb(124, 45, 146); }".write(toFile: theme, atomically: true, encoding: .utf8)
            try Self.logo.write(toFile: logo, atomically: true, encoding: .utf8)
            let parley = try await ParleyProcess.start(environment: [
                "PARLEY_WEB_PATH": "/messenger/", "PARLEY_WEB_NAME": "Garden Shop", "PARLEY_WEB_THEME": theme,
                "PARLEY_WEB_LOGO": logo, "PARLEY_AUTH_SIGNUP": "true",
            ])
            try await WebDriver.use { driver in
                let page = ChatPage(
                    browser: try await driver.openBrowser(), baseURL: parley.baseURL + "/messenger/")
                let browser = page.browser
                try await browser.open(page.baseURL)
                try await browser.wait(for: "document.getElementById('login').checkVisibility()")
                #expect(
                    try await browser.run("return document.getElementById('login-heading').innerText")
                        == "Log in to Garden Shop")
                #expect(
                    try await browser.run(
                        "return getComputedStyle(document.getElementById('login-submit')).backgroundColor")
                        == "rgb(124, 45, 146)")
                try await browser.wait(for: "document.querySelector('.card .logo').naturalWidth === 90")
                try await page.signUp("alice")
                try await page.join("Garden")
                try await page.say("hello")
                try await page.sees(["hello"])
                #expect(try await browser.run("return document.title") == "Garden – Garden Shop")
                #expect(
                    try await browser.runAsync("return (await navigator.serviceWorker.ready).scope").string
                        == page.baseURL)
                try await browser.wait(for: "navigator.serviceWorker.controller")
                try await page.waitUntilKept("hello")
                try await parley.kill()
                try await browser.reload()
                try await page.sees(["hello"])
                #expect(try await browser.run("return document.querySelector('#inbox .logo').naturalWidth") == 90)
                #expect(
                    try await browser.run(
                        "return getComputedStyle(document.documentElement).getPropertyValue('--accent')"
                    ).string?
                    .contains("124") == true)
            }
        }

        @Test("an app without sign-up offers none")
        func withoutSignUp() async throws {
            let parley = try await ParleyProcess.start(environment: ["PARLEY_AUTH_SIGNUP": "false"])
            try await WebDriver.use { driver in
                let browser = try await driver.openBrowser()
                try await browser.open(parley.baseURL)
                try await browser.wait(for: "document.getElementById('login').checkVisibility()")
                #expect(
                    try await browser.run("return document.getElementById('login-switch').checkVisibility()") == false)
            }
            try await parley.kill()
        }
    }
}
