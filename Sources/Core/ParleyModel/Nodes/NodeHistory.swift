/// The load of a node, or of several, over one step of `NodeHistory`. Rates are per second, and means over the step.
package struct LoadSample: Hashable, Sendable {
    /// The beginning of the step in Unix milliseconds, a multiple of `NodeHistory.step`.
    package var start: Int64
    /// Open WebSockets and line connections, at the end of the step.
    package var connections = 0
    /// Client messages accepted by the log.
    package var messages = 0.0
    /// Frames handed to sockets.
    package var deliveries = 0.0
    /// Events accepted and not yet stored, at the end of the step.
    package var lagEvents: Int64 = 0
    /// The largest `PersisterStatus.lagSeconds` within the step.
    package var lagSeconds = 0.0
    /// REST requests.
    package var requests = 0.0
    /// The mean duration of a REST request in milliseconds; 0 without requests.
    package var requestMilliseconds = 0.0

    package init(start: Int64) {
        self.start = start
    }

    /// Adds another node's load over the same step.
    package mutating func add(_ other: LoadSample) {
        let (sum, products) = (
            requests + other.requests,
            requests * requestMilliseconds + other.requests * other.requestMilliseconds
        )
        connections += other.connections
        messages += other.messages
        deliveries += other.deliveries
        lagEvents += other.lagEvents
        lagSeconds = max(lagSeconds, other.lagSeconds)
        requests = sum
        requestMilliseconds = sum > 0 ? products / sum : 0
    }
}

/// The load of a node over the last hour, in a ring of at most `capacity` samples.
package struct NodeHistory: Hashable, Sendable {
    /// The length of a step in milliseconds.
    package static let step: Int64 = 10_000
    /// The maximum number of samples: an hour.
    package static let capacity = 360

    /// Once full, the oldest sample is at `next`.
    private var ring: [LoadSample] = []
    private var next = 0
    /// The number of reports that the newest sample is the mean of.
    private var reports = 0

    package init() {}

    /// The newest sample.
    private var newest: Int? {
        ring.isEmpty ? nil : next == 0 ? ring.count - 1 : next - 1
    }

    /// Records a report. A report of an earlier step than the newest one, after the clock was set back, begins a new history.
    /// - Parameters:
    ///   - report: The load since the previous report; its `start` is ignored.
    ///   - milliseconds: The time of the report in Unix milliseconds.
    package mutating func record(_ report: LoadSample, at milliseconds: Int64) {
        var sample = report
        sample.start = Self.start(of: milliseconds)
        guard let newest else { return append(sample) }
        let last = ring[newest].start
        if sample.start < last {
            self = NodeHistory()
            append(sample)
        } else if sample.start > last {
            append(sample)
        } else {
            ring[newest].merge(sample, reports)
            reports += 1
        }
    }

    /// The samples of the hour before an instant, oldest first. Steps without a report are missing.
    package func samples(at milliseconds: Int64) -> [LoadSample] {
        let newest = Self.start(of: milliseconds)
        let oldest = newest - Self.step * Int64(Self.capacity - 1)
        return (Array(ring[next...]) + ring[..<next]).filter { $0.start >= oldest && $0.start <= newest }
    }

    /// The sums of several nodes' samples by step, oldest first, at most `capacity`.
    package static func sum(_ histories: [[LoadSample]]) -> [LoadSample] {
        var steps: [Int64: LoadSample] = [:]
        for sample in histories.joined() {
            steps[sample.start, default: LoadSample(start: sample.start)].add(sample)
        }
        return Array(steps.values.sorted { $0.start < $1.start }.suffix(capacity))
    }

    private mutating func append(_ sample: LoadSample) {
        reports = 1
        if ring.count < Self.capacity {
            ring.append(sample)
        } else {
            ring[next] = sample
            next = (next + 1) % Self.capacity
        }
    }

    private static func start(of milliseconds: Int64) -> Int64 { milliseconds - milliseconds % step }
}

extension LoadSample {
    /// Takes in a further report of this step.
    /// - Parameter count: The number of reports so far.
    fileprivate mutating func merge(_ report: LoadSample, _ count: Int) {
        let weight = 1 / Double(count + 1)
        let requestsBefore = requests * Double(count)
        let sum = requestsBefore + report.requests
        requestMilliseconds =
            sum > 0
            ? (requestsBefore * requestMilliseconds + report.requests * report.requestMilliseconds) / sum : 0
        requests = sum * weight
        messages += (report.messages - messages) * weight
        deliveries += (report.deliveries - deliveries) * weight
        connections = report.connections
        lagEvents = report.lagEvents
        lagSeconds = max(lagSeconds, report.lagSeconds)
    }
}
