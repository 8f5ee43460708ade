import ParleyModel
import Testing

@Suite("The load of the last hour")
struct NodeHistoryTests {
    private static let start: Int64 = 1_790_000_000_000
    private static let step = NodeHistory.step

    private static func report(
        connections: Int = 0, messages: Double = 0, lag: Double = 0, requests: Double = 0, milliseconds: Double = 0
    ) -> LoadSample {
        var sample = LoadSample(start: 0)
        sample.connections = connections
        sample.messages = messages
        sample.lagSeconds = lag
        sample.requests = requests
        sample.requestMilliseconds = milliseconds
        return sample
    }

    @Test("the reports of one step are one sample: means of rates, the newest number, the largest age")
    func steps() throws {
        var history = NodeHistory()
        for (index, report) in [
            Self.report(connections: 5, messages: 2, lag: 3, requests: 1, milliseconds: 10),
            Self.report(connections: 4, messages: 4, lag: 1, requests: 3, milliseconds: 30),
            Self.report(connections: 7, messages: 6, lag: 2),
        ].enumerated() {
            history.record(report, at: Self.start + Int64(index) * 2000)
        }
        let sample = try #require(history.samples(at: Self.start + 6000).first)
        #expect(history.samples(at: Self.start + 6000).count == 1)
        #expect(sample.start == Self.start)
        #expect(sample.connections == 7)
        #expect(abs(sample.messages - 4) < 0.001)
        #expect(sample.lagSeconds == 3)
        #expect(abs(sample.requests - 4.0 / 3) < 0.001)
        #expect(abs(sample.requestMilliseconds - 25) < 0.001)
    }

    @Test("an hour is kept, and no more", arguments: [359, 360, 361, 1000])
    func bound(_ count: Int) {
        var history = NodeHistory()
        for index in 0..<count {
            history.record(Self.report(connections: index), at: Self.start + Int64(index) * Self.step)
        }
        let now = Self.start + Int64(count - 1) * Self.step
        let samples = history.samples(at: now)
        #expect(samples.map(\.connections) == Array(max(0, count - NodeHistory.capacity)..<count))
        #expect(samples.map(\.start) == samples.map(\.start).sorted())
        // A node without reports for a while has a gap, and after an hour nothing.
        #expect(history.samples(at: now + Self.step * 100).count == max(0, min(count, 360 - 100)))
        #expect(history.samples(at: now + Self.step * 360).isEmpty)
    }

    @Test("a clock that is set back begins a new history")
    func back() {
        var history = NodeHistory()
        history.record(Self.report(connections: 1), at: Self.start)
        history.record(Self.report(connections: 2), at: Self.start + Self.step)
        history.record(Self.report(connections: 3), at: Self.start)
        #expect(history.samples(at: Self.start).map(\.connections) == [3])
    }

    @Test("the samples of several nodes are added up by step")
    func sums() {
        func history(_ reports: [LoadSample], from index: Int64 = 0) -> [LoadSample] {
            var history = NodeHistory()
            for (offset, report) in reports.enumerated() {
                history.record(report, at: Self.start + (index + Int64(offset)) * Self.step)
            }
            return history.samples(at: Self.start + 10 * Self.step)
        }
        let sum = NodeHistory.sum([
            history([
                Self.report(connections: 1, messages: 1, lag: 4, requests: 1, milliseconds: 10),
                Self.report(connections: 2, messages: 2),
            ]),
            history([Self.report(connections: 3, messages: 3, lag: 2, requests: 3, milliseconds: 30)]),
            history([Self.report(connections: 5)], from: 2),
        ])
        #expect(sum.map(\.start) == [0, 1, 2].map { Self.start + $0 * Self.step })
        #expect(sum.map(\.connections) == [4, 2, 5])
        #expect(sum.map(\.messages) == [4, 2, 0])
        #expect(sum[0].lagSeconds == 4)
        #expect(sum[0].requests == 4)
        #expect(sum[0].requestMilliseconds == 25)
        #expect(NodeHistory.sum([]) == [])
    }

    @Test("a sample arrives unchanged as JSON, to two decimals")
    func json() throws {
        var sample = Self.report(connections: 3, messages: 1.25, lag: 0.5, requests: 2.75, milliseconds: 8.25)
        sample.start = Self.start
        #expect(try #require(LoadSample(sample.tree)) == sample)
    }
}
