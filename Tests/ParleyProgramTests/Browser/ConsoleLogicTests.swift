import ParleyTestSupport
import Testing

extension ProgramTests {
    /// What the console makes of figures. It runs where it will be used: in a browser.
    @Suite struct ConsoleLogicTests {
        /// A JavaScript expression and its value; `format` is the module.
        private static let facts: [(script: String, value: JSONValue)] = [
            (
                "[0, 0.04, 0.25, 9.96, 99.94, 100, 1234.5, 9999, 10_000, 12_345, 999_499, 1_250_000].map(format.count)",
                [
                    "0", "0", "0.3", "10", "99.9", "100", "1,235", "9,999", "10k", "12.3k", "999.5k", "1.3M",
                ]
            ),
            (
                "[0, 1023, 1024, 1536, 10_240, 88_000_000, 5e9, 3e15].map(format.bytes)",
                ["0 B", "1023 B", "1 KiB", "1.5 KiB", "10 KiB", "84 MiB", "4.7 GiB", "2728 TiB"]
            ),
            (
                "[-5, 400, 59_400, 60_000, 3_599_000, 3_600_000, 7_500_000, 86_400_000, 1e9].map(format.span)",
                ["0 s", "0 s", "59 s", "1 min", "59 min", "1 h", "2 h 5 min", "1 d", "11 d 13 h"]
            ),
            ("[format.ago(1000, 2000), format.ago(1000, 500), format.ago(0, 5000)]", ["now", "now", "5 s ago"]),
            (
                """
                [[0, 0], [1, 0.1], [7, 0.2], [7, 14.2], [12_345, 2.25]]
                    .map(([lag_events, lag_seconds]) => format.lag({ lag_events, lag_seconds }))
                """,
                ["nothing", "1 event", "7 events", "7 events, 14 s", "12.3k events, 2.3 s"]
            ),
            (
                """
                [{ seq: 7 }, { seq: 6 }, { seq: 1 }, { seq: 9 }, { seq: 7, behind: { from: 3, to: 5 } }]
                    .map((position) => format.place(position, 7)).map((place) => `${place.text}${place.isBehind ? '!' : ''}`)
                """,
                ["7", "6 of 7", "1 of 7!", "9", "7, left out 3–5!"]
            ),
            ("format.linePoints([0, 5, 10], 5)", "50,27 75,14.5 100,2"),
            ("format.linePoints([0, 0], 2)", "0,27 100,27"),
            (
                """
                (() => {
                    const well = {
                        registry: { state: 'up' }, redis: { state: 'up' }, database: { state: 'up' },
                        persist: { lag_seconds: 9.9 }, nodes: [{ persister: {} }],
                    };
                    const away = { state: 'partly', unavailable_on: ['a', 'b'] };
                    return [
                        well, { ...well, redis: { state: 'none' } }, { ...well, persist: { lag_seconds: 10 } },
                        { ...well, nodes: [{}] }, { ...well, redis: away, database: { state: 'unavailable' } },
                        { ...well, registry: { state: 'unavailable' }, nodes: [{}] },
                    ].map((overview) => format.problems(overview).join(' · '));
                })()
                """,
                [
                    "", "", "The store is behind", "Nothing is stored",
                    "Redis is unavailable on a, b · The database is unavailable", "Nodes do not see each other",
                ]
            ),
        ]

        @Test("figures are put so that an operator reads them at a glance")
        func figures() async throws {
            let parley = try await ParleyProcess.start()
            try await WebDriver.use { driver in
                let browser = try await driver.openBrowser()
                try await browser.open(parley.baseURL + "/console")
                for (script, value) in Self.facts {
                    let found = try await browser.runAsync(
                        "const format = await import('/consoleFormat.js'); return \(script);")
                    #expect(found == value, "\(script)")
                }
            }
        }
    }
}
