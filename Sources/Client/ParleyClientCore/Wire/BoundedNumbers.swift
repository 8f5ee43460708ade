package import ParleyJSON

/// Numbers, dates and durations from the server, limited to a range. Sums, differences and conversions of these values
/// never overflow.
extension JSONTree {
    /// A position in a log; `nil` for a number outside the range of positions.
    package var place: Int? { integer.flatMap { Int(exactly: $0) }.flatMap { Int.places.contains($0) ? $0 : nil } }

    /// A count.
    package var count: Int? { integer.map { Int(clamping: min(max($0, 0), Int64(Int.places.upperBound))) } }

    /// A date in milliseconds since 1970.
    package var milliseconds: Int64? { integer.map { min(max($0, 0), .lastMilliseconds) } }

    /// A date in seconds since 1970.
    package var seconds: Int64? { integer.map { min(max($0, 0), .lastMilliseconds / 1000) } }

    /// A duration in milliseconds, at most a day.
    package var period: Duration? { integer.map { .milliseconds(min(max($0, 0), 86_400_000)) } }
}

extension Int {
    /// The positions of a log. The limit is the largest integer of JavaScript, so neighboring positions are integers
    /// too.
    package static let places = 0...9_007_199_254_740_991
}

extension Int64 {
    /// The end of the year 9999, in milliseconds since 1970.
    package static let lastMilliseconds: Int64 = 253_402_300_799_999
}

extension Duration {
    /// Creates the pause that an HTTP header requests, at most a day.
    package init(retryAfter seconds: Int) { self = .seconds(min(max(seconds, 0), 86_400)) }
}

extension JSONTree {
    package var int: Int? { integer.flatMap { Int(exactly: $0) } }

    package var flag: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    package var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The members of an object.
    package var pairs: [Member] {
        if case .members(let members) = self { members } else { [] }
    }
}
