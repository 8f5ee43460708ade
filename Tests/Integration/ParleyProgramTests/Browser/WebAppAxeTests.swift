import Foundation
import ParleyTestBrowser
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The pages as axe-core judges them: roles, names, landmarks, contrasts.
    @Suite struct WebAppAxeTests {
        /// axe-core's script, from PyPI, made once for all runs.
        private static let script = Task {
            let directory = try TemporaryDirectory()
            let output = directory.path + "/output"
            let maker = try await ChildProcess.start(
                Repository.path + "/Tests/Axe/make", [], environment: ProcessInfo.processInfo.environment,
                in: directory.path, output: output)
            let end = try await maker.exit(within: .seconds(120))
            let lines = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
            guard end == .exited(0), let path = lines.split(separator: "\n").last else {
                throw NotMade(description: "Tests/Axe/make ended: \(end)\n\(lines.suffix(2000))")
            }
            return try String(contentsOfFile: String(path), encoding: .utf8)
        }

        private struct NotMade: Error, CustomStringConvertible { let description: String }

        /// The violations on the screen, once nothing moves.
        private static let violations = """
            const moving = () => document.getAnimations().filter((each) => each.effect.getComputedTiming().iterations !== Infinity);
            const limit = new Promise((resolve) => { setTimeout(resolve, 3_000); });
            await Promise.race([limit, Promise.all(moving().map((each) => each.finished.catch(() => {})))]);
            const { violations } = await axe.run(document, { resultTypes: ['violations'] });
            return violations.flatMap(({ id, nodes }) => nodes.slice(0, 4).map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`));
            """

        /// Records what axe finds, in light and dark.
        private static func check(_ browser: Browser, _ name: String) async throws {
            if try await browser.run("return typeof axe === 'undefined'") == true {
                _ = try await browser.run(try await script.value)
            }
            for isDark in [false, true] {
                try await browser.prefersDark(isDark)
                let found = try await browser.runAsync(violations)
                #expect(found == [], "\(name), \(isDark ? "dark" : "light")")
                let file = "axe-\(name.replacing(" ", with: "-"))-\(isDark ? "dark" : "light")"
                let width = try await browser.run("return innerWidth").int ?? 0
                try await ChatPage(browser: browser, baseURL: "").photograph("\(file)-\(width)")
            }
        }

        @Test(
            "finds nothing on any screen of the web client", .timeLimit(.minutes(10)),
            arguments: [(WebDriver.Screen.desktop, "en-GB"), (.narrow, "de-DE")])
        func app(screen: WebDriver.Screen, language: String) async throws {
            try await ChatPage.withPages(screen, language: language) { parley, pages in
                let tour = WebAppTour(page: pages[0], parley: parley) { try await Self.check(pages[0].browser, $0) }
                try await tour.all()
            }
        }

        @Test("finds nothing in the console and in the documents", .timeLimit(.minutes(5)))
        func pages() async throws {
            let parley = try await ParleyProcess.start(environment: ["PARLEY_API_KEYS": "ops:\(ConsolePage.key)"])
            try await WebDriver.use { driver in
                let browser = try await driver.openBrowser()
                try await browser.open(parley.baseURL + "/docs")
                try await browser.wait(for: "document.body.dataset.ready === 'true'")
                // All operations are made the same way, and axe would take half a minute for all of them.
                _ = try await browser.run(
                    "[...document.querySelectorAll('#rest .operation')].forEach((each, index) => index % 12 && each.remove())"
                )
                try await Self.check(browser, "docs")
                let console = ConsolePage(browser: browser, baseURL: parley.baseURL)
                try await console.open()
                try await Self.check(browser, "console login")
                try await console.enter()
                try await console.isIn()
                try await browser.click("#audit summary")
                try await Self.check(browser, "console")
                let room = try await HTTPClient(
                    port: parley.port, headers: [("Authorization", "Bearer \(ConsolePage.key)")]
                ).post("/v1/admin/threads", json: ["id": "tea", "title": "Tea"])
                #expect(room.status == 201)
                try await console.find("Tea")
                try await Self.check(browser, "console room")
            }
            try await parley.kill()
        }
    }
}
