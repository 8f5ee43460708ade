import ParleyTestBrowser
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The files that a first visit loads.
    @Suite struct WebAppLoadingTests {
        @Test("a first visit takes at most 12 requests and 100 kB, and shows the form soon over a mobile network")
        func firstVisit() async throws {
            let parley = try await ParleyProcess.start()
            try await WebDriver.use { driver in
                let browser = try await driver.openBrowser(.phone)
                // The address of the server is nowhere in a cache.
                try await browser.execute("Network.enable", [:])
                try await browser.execute(
                    "Network.emulateNetworkConditions",
                    ["offline": false, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 93_750])
                try await browser.open(parley.baseURL)
                try await browser.wait(for: "document.getElementById('login').checkVisibility()")
                try await browser.wait(for: "performance.getEntriesByName('parley-entrance').length === 1")
                let shown = try await browser.run(
                    "return Math.round(performance.getEntriesByName('parley-entrance')[0].startTime)")
                let entries =
                    "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
                let requests = try await browser.run("return \(entries).length").int ?? .max
                let bytes =
                    try await browser.run("return \(entries).reduce((sum, each) => sum + each.transferSize, 0)").int
                    ?? .max
                let names = try await browser.run(
                    "return \(entries).map((each) => `${each.name} ${each.transferSize} ${Math.round(each.responseEnd)}`).join('\\n')"
                )
                print(
                    "first visit: \(requests) requests, \(bytes) bytes, form after \(shown.text) ms\n\(names.string ?? "")"
                )
                #expect(requests <= 12)
                #expect(bytes <= 100_000)
                #expect((shown.int ?? .max) <= 1_500)
            }
            try await parley.kill()
        }
    }
}
