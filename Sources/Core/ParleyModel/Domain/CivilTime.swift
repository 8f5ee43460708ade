/// Conversion of Unix time to calendar form, without a calendar library.
package enum CivilTime {
    /// RFC 3339 in UTC with whole seconds, e.g. `2026-11-21T10:00:00Z`.
    ///
    /// RFC 3339 has four digits of year, so times outside of the years 0 to 9999 are clamped.
    /// - Parameter milliseconds: Unix time; rounded down to the second.
    package static func rfc3339(milliseconds: Int64) -> String {
        let seconds = min(max(floorDivide(milliseconds, 1000), earliest), latest)
        let days = floorDivide(seconds, 86_400)
        let (year, month, day) = date(days: days)
        let second = seconds - days * 86_400
        return String(unsafeUninitializedCapacity: 20) { text in
            func put(_ value: Int64, digits: Int, at index: Int, then mark: Unicode.Scalar) {
                var rest = value
                for position in (index..<index + digits).reversed() {
                    text[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                    rest /= 10
                }
                text[index + digits] = UInt8(ascii: mark)
            }
            put(year, digits: 4, at: 0, then: "-")
            put(month, digits: 2, at: 5, then: "-")
            put(day, digits: 2, at: 8, then: "T")
            put(second / 3600, digits: 2, at: 11, then: ":")
            put(second / 60 % 60, digits: 2, at: 14, then: ":")
            put(second % 60, digits: 2, at: 17, then: "Z")
            return 20
        }
    }

    /// Unix seconds of a time in milliseconds; rounded down, before 1970 too.
    package static func seconds(milliseconds: Int64) -> Int64 {
        floorDivide(milliseconds, 1000)
    }

    private static let earliest: Int64 = -62_167_219_200
    private static let latest: Int64 = 253_402_300_799

    /// The Gregorian date of a day counted from 1970-01-01 (Howard Hinnant, "chrono-compatible low-level date
    /// algorithms", `civil_from_days`): years begin in March, so that the leap day is the last day.
    private static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }
}
