import Foundation
import ParleyJSON

/// Numbers, dates and periods of the server, within bounds: sums, differences and conversions of them never overflow,
/// whatever it sends.
extension JSONTree {
    /// A place in a log; `nil` for a number that is none.
    var place: Int? { integer.flatMap { Int(exactly: $0) }.flatMap { Int.places.contains($0) ? $0 : nil } }

    /// How many there are of something.
    var count: Int? { integer.map { Int(clamping: min(max($0, 0), Int64(Int.places.upperBound))) } }

    /// A date in milliseconds since 1970.
    var milliseconds: Int64? { integer.map { min(max($0, 0), Date.lastMilliseconds) } }

    /// A date in seconds since 1970.
    var seconds: Int64? { integer.map { min(max($0, 0), Date.lastMilliseconds / 1000) } }

    /// A period in milliseconds, at most a day.
    var period: Duration? { integer.map { .milliseconds(min(max($0, 0), 86_400_000)) } }
}

extension Int {
    /// The places of a log: a browser has no greater integers, and neighbours of these are integers too.
    static let places = 0...9_007_199_254_740_991
}

extension Duration {
    /// A pause that an HTTP header asks for, at most a day.
    init(retryAfter seconds: Int) { self = .seconds(min(max(seconds, 0), 86_400)) }
}

extension Date {
    /// The end of the year 9999.
    static let lastMilliseconds: Int64 = 253_402_300_799_999

    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// Since 1970, within the bounds of the server's dates; apps may pass any date.
    var milliseconds: Int64 {
        let value = (timeIntervalSince1970 * 1000).rounded()
        // False for NaN too.
        guard value > 0 else { return 0 }
        return value < Double(Self.lastMilliseconds) ? Int64(value) : Self.lastMilliseconds
    }
}
