/// A log-linear histogram of durations in microseconds, like HdrHistogram.
///
/// Below 256 µs every microsecond has its own bucket; above, a bucket is at most 1/128 of its value wide, so a quantile
/// is at most 0.8 % too high and never too low. Memory is bounded by 27 · 128 counters; only the counters up to the
/// longest duration are allocated.
package struct Histogram: Codable, Hashable, Sendable {
    private static let bits = 7
    /// Longer durations, more than an hour, count as this long.
    package static let longest: Int64 = 1 << 32

    private var counts: [UInt64] = []
    /// The number of durations recorded.
    package private(set) var count: UInt64 = 0
    /// The exact maximum in microseconds; 0 if nothing was recorded.
    package private(set) var maximum: Int64 = 0
    /// The sum in microseconds.
    package private(set) var sum: Int64 = 0

    package init() {}

    /// The mean in microseconds, 0 if nothing was recorded.
    package var mean: Double { count == 0 ? 0 : Double(sum) / Double(count) }

    /// Records one duration; a negative one counts as 0.
    /// - Parameter microseconds: clamped to `longest`.
    package mutating func record(_ microseconds: Int64) {
        let value = min(max(0, microseconds), Self.longest)
        let index = Self.index(of: value)
        if index >= counts.count { counts.append(contentsOf: repeatElement(0, count: index + 1 - counts.count)) }
        counts[index] += 1
        count += 1
        sum += value
        if value > maximum { maximum = value }
    }

    /// Adds everything recorded by `other`.
    package mutating func add(_ other: Histogram) {
        if other.counts.count > counts.count {
            counts.append(contentsOf: repeatElement(0, count: other.counts.count - counts.count))
        }
        for (index, more) in other.counts.enumerated() where more > 0 { counts[index] += more }
        count += other.count
        sum += other.sum
        maximum = max(maximum, other.maximum)
    }

    /// The duration that this share of all durations does not exceed, in microseconds; 0 if nothing was recorded.
    /// - Parameter share: 0 to 1.
    package func quantile(_ share: Double) -> Int64 {
        guard count > 0 else { return 0 }
        let wanted = max(1, UInt64((share * Double(count)).rounded(.up)))
        var seen: UInt64 = 0
        for (index, number) in counts.enumerated() {
            seen += number
            if seen >= wanted { return min(Self.highest(of: index), maximum) }
        }
        return maximum
    }

    // MARK: Buckets

    private static func index(of value: Int64) -> Int {
        let shift = max(0, 63 - value.leadingZeroBitCount - bits)
        return shift << bits + Int(value >> Int64(shift))
    }

    /// The greatest value of a bucket.
    private static func highest(of index: Int) -> Int64 {
        let shift = max(0, index >> bits - 1)
        let lowest = Int64(index - shift << bits) << Int64(shift)
        return lowest + (1 << Int64(shift)) - 1
    }
}
