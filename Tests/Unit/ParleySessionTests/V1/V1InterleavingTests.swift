import ParleyTestSupport
import Testing

/// Every order in which events, reads, results and the client's own pace can interleave during a resume.
@Suite struct V1InterleavingTests {
    private typealias Settings = ReplayModel.Settings

    private static let worlds: [ReplayModel.Settings] = [
        // Everything missing is in the log.
        Settings(initial: 0, later: 3, seen: 0), Settings(initial: 2, later: 2, seen: 0),
        Settings(initial: 2, later: 3, seen: 1), Settings(initial: 2, later: 3, seen: 2),
        // Read in chunks.
        Settings(initial: 3, later: 2, seen: 0, chunk: 1), Settings(initial: 4, later: 2, seen: 0, chunk: 2),
        // The log begins above what is missing; the store has it, or will have it.
        Settings(initial: 3, later: 2, seen: 0, window: 2, stored: 3),
        Settings(initial: 3, later: 2, seen: 0, window: 1, stored: 3, chunk: 2),
        Settings(initial: 2, later: 2, seen: 0, window: 1, stored: 1),
        // Live events do not fit while they are held, nor afterwards.
        Settings(initial: 1, later: 3, seen: 0, bytes: 30_000),
        Settings(initial: 2, later: 3, seen: 0, bytes: 40_000, chunk: 1),
    ]

    @Test(
        "in every interleaving each event arrives once and in order, replays before resumed, live ones after",
        arguments: worlds)
    func everyInterleaving(settings: ReplayModel.Settings) {
        var search = Search()
        search.explore(ReplayModel(settings))
        print("V1InterleavingTests: \(search.count) orders of \(settings)")
        #expect(search.findings.isEmpty, "\(search.findings)")
        #expect(search.count > 10)
    }

    @Test("the same holds in 20,000 random orders of larger worlds")
    func randomInterleavings() {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("V1InterleavingTests seed \(seed)")
        var random = SeededGenerator(seed)
        for _ in 0..<20_000 {
            let initial = Int64.random(in: 0...30, using: &random)
            var settings = Settings(initial: initial, later: Int64.random(in: 0...20, using: &random))
            settings.seen = Int64.random(in: 0...initial, using: &random)
            settings.window = Int64.random(in: 1...40, using: &random)
            settings.stored = Int64.random(in: 0...initial, using: &random)
            settings.bytes = [100, 5000, 30_000][Int.random(in: 0..<3, using: &random)]
            settings.chunk = Int.random(in: 1...8, using: &random)
            var model = ReplayModel(settings)
            var path: [ReplayModel.Move] = []
            while let move = model.moves.randomElement(using: &random) {
                model.take(move)
                path.append(move)
            }
            guard model.finding == nil else {
                Issue.record("\(model.finding ?? "") in \(settings) by \(path)")
                return
            }
        }
    }

    private struct Search {
        private(set) var count = 0
        private(set) var findings: [String] = []
        private var path: [ReplayModel.Move] = []

        mutating func explore(_ model: ReplayModel) {
            guard findings.isEmpty else { return }
            let moves = model.moves
            guard !moves.isEmpty else {
                count += 1
                if let finding = model.finding { findings.append("\(finding) in \(model.settings) by \(path)") }
                return
            }
            for move in moves {
                var next = model
                next.take(move)
                path.append(move)
                explore(next)
                path.removeLast()
            }
        }
    }
}
