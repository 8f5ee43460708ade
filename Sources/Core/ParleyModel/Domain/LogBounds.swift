/// The ranges of numbers in a log. A number from outside (Redis, Django, another node) is checked against these bounds before
/// use, so that no arithmetic on it can overflow.
package enum LogBounds {
    /// Seqs and message counts. 0 precedes the first message. JavaScript rounds integers above 2^53.
    package static let seqs: ClosedRange<Int64> = 0...(1 << 53)
    /// Unix milliseconds: from 1970 to the end of the year 9999.
    package static let dates: ClosedRange<Int64> = 0...253_402_300_799_999
    /// Unix microseconds of the same dates.
    package static let microseconds: ClosedRange<Int64> = 0...dates.upperBound * 1000

    /// Returns the age of an event for a metric, in nanoseconds, clamped to 1,000 days in the past or the future. An integer
    /// cannot hold the nanoseconds of 500 years.
    package static func age(of date: Int64, at now: Int64) -> Int64 {
        let longest: Int64 = 1000 * 86_400_000
        let (age, isTooLong) = now.subtractingReportingOverflow(date)
        if isTooLong { return (now > date ? longest : -longest) * 1_000_000 }
        return min(max(age, -longest), longest) * 1_000_000
    }
}

extension Int64 {
    /// Returns the number if it is within bounds, otherwise `nil`.
    package func within(_ bounds: ClosedRange<Int64>) -> Int64? {
        bounds.contains(self) ? self : nil
    }
}
