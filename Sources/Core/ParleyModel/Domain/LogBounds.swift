/// The numbers that a log can contain. A reader of one from outside (Redis, Django, another node) checks it against
/// these bounds first, so that no arithmetic on it can overflow.
package enum LogBounds {
    /// Seqs and counts of messages; 0 stands before the first. JavaScript rounds integers above 2^53.
    package static let seqs: ClosedRange<Int64> = 0...(1 << 53)
    /// Unix milliseconds: from 1970 to the end of the year 9999.
    package static let dates: ClosedRange<Int64> = 0...253_402_300_799_999
    /// Unix microseconds of the same dates.
    package static let microseconds: ClosedRange<Int64> = 0...dates.upperBound * 1000

    /// The age of an event for a metric, in nanoseconds: at most 1,000 days, as is its lead over this clock. Half of a
    /// thousand years has more nanoseconds than an integer can count.
    package static func age(of date: Int64, at now: Int64) -> Int64 {
        let longest: Int64 = 1000 * 86_400_000
        let (age, isTooLong) = now.subtractingReportingOverflow(date)
        if isTooLong { return (now > date ? longest : -longest) * 1_000_000 }
        return min(max(age, -longest), longest) * 1_000_000
    }
}

extension Int64 {
    /// The number, if it is within bounds.
    package func within(_ bounds: ClosedRange<Int64>) -> Int64? {
        bounds.contains(self) ? self : nil
    }
}
