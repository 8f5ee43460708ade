/// The upper bounds of histogram buckets, by metric name.
///
/// The default depends on the unit suffix of the name: `_seconds`, `_bytes`, otherwise plain numbers.
package struct HistogramBuckets: Sendable {
    /// From half a millisecond to ten seconds.
    package static let seconds: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
    /// From a microsecond to a second, for durations within a process.
    package static let shortSeconds: [Double] = [
        0.000_001, 0.000_002_5, 0.000_005, 0.000_01, 0.000_025, 0.000_05, 0.0001, 0.000_25, 0.0005, 0.001, 0.0025,
        0.005,
        0.01, 0.025, 0.1, 0.25, 1,
    ]
    /// From 64 bytes to 1 MiB.
    package static let bytes: [Double] = [64, 256, 1024, 4096, 16384, 65536, 262_144, 1_048_576]
    /// From 1 to 100,000.
    package static let numbers: [Double] = [
        1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100_000,
    ]

    private let byName: [String: [Double]]

    /// - Parameter byName: bounds by exported name (a timer's with `_seconds`), in any order; non-finite bounds are
    ///   ignored, and the bucket `+Inf` is implicit.
    package init(_ byName: [String: [Double]] = [:]) {
        self.byName = byName.mapValues { Set($0.filter(\.isFinite)).sorted() }
    }

    /// Ascending and distinct, without `+Inf`.
    package func bounds(of name: String) -> [Double] {
        if let own = byName[name] { return own }
        if name.hasSuffix("_seconds") { return Self.seconds }
        if name.hasSuffix("_bytes") { return Self.bytes }
        return Self.numbers
    }
}
