import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Who may do what: every cell of the table that docs/rights.md shows is tried on a real process.
    @Suite struct Rights {
        /// Cells that are tried at the same time.
        private static let width = 8
        private static let document = Repository.url("docs/rights.md")
        private static let (begin, end) = ("<!-- the table begins -->\n", "<!-- the table ends -->")

        @Test("each actor gets what the table says, for every call and command", .timeLimit(.minutes(10)))
        func cells() async throws {
            let cells = RightsTable.rows.flatMap { row in RightsActor.allCases.map { (row, $0) } }
            let fixture = try await RightsFixture(cells: cells.count)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, (row, actor)) in cells.enumerated() {
                    if index >= Self.width { try await group.next() }
                    group.addTask {
                        let response = try await fixture.response(to: row, for: actor, cell: index)
                        #expect(response == row.responses[actor], "\(row.name) by \(actor.rawValue)")
                    }
                }
                try await group.waitForAll()
            }
        }

        @Test("the table has every call that /openapi.json has, and no other")
        func completeness() async throws {
            let process = try await ParleyProcess.start()
            let paths = try await process.http.get("/openapi.json").json()["paths"]?.object ?? [:]
            let methods: Set = ["get", "put", "post", "patch", "delete"]
            let described = Set(
                paths.flatMap { path, item in
                    (item.object ?? [:]).keys.filter(methods.contains).map { "\($0.uppercased()) \(path)" }
                })
            let known = Set(RightsTable.rows.compactMap(\.route)).union(RightsTable.exempt)
            try #require(described.count > 30)
            #expect(described.subtracting(known).isEmpty, "not in the table")
            #expect(known.subtracting(described).isEmpty, "not in /openapi.json")
        }

        /// `PARLEY_WRITE_DOCS=1` writes it.
        @Test("docs/rights.md shows the table that is tried")
        func documents() throws {
            let text = try String(contentsOf: Self.document, encoding: .utf8)
            let start = try #require(text.range(of: Self.begin)?.upperBound)
            let stop = try #require(text.range(of: Self.end)?.lowerBound)
            if ProcessInfo.processInfo.environment["PARLEY_WRITE_DOCS"] != nil {
                try text.replacingCharacters(in: start..<stop, with: RightsTable.markdown)
                    .write(to: Self.document, atomically: true, encoding: .utf8)
            } else {
                #expect(text[start..<stop] == RightsTable.markdown, "run the test with PARLEY_WRITE_DOCS=1")
            }
        }
    }
}
