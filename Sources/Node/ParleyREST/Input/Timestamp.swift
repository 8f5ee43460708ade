import ParleyModel

/// Parses an instant from a client.
package enum Timestamp {
    /// The allowed formats, as a text for the client.
    static let explanation = "RFC 3339, e.g. 2026-11-21T10:00:00Z, or whole milliseconds since 1970"

    /// Returns Unix milliseconds, rounded down, or `nil` if `text` is neither RFC 3339 §5.6 nor an integer of milliseconds up
    /// to the end of the year 9999.
    package static func milliseconds(_ text: String) -> Int64? {
        var rest = Array(text.utf8)[...]
        if let number = digits(&rest, 1...15), rest.isEmpty {
            return number <= MessageQuery.maximumSeconds * 1000 + 999 ? number : nil
        }
        rest = Array(text.utf8)[...]
        guard let day = day(&rest), take(&rest, ["T", "t", " "]), let time = time(&rest), let offset = offset(&rest),
            rest.isEmpty
        else { return nil }
        return day * 86_400_000 + time - offset
    }

    /// Parses a date as the number of days since 1970.
    private static func day(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        guard let year = digits(&rest, 4...4), take(&rest, ["-"]), let month = digits(&rest, 2...2),
            take(&rest, ["-"]), let day = digits(&rest, 2...2), (1...12).contains(month)
        else { return nil }
        let isLeap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...lengths[Int(month) - 1]).contains(day) else { return nil }
        // The year begins in March, so that the leap day comes last. Days are counted from 1 March of the year 0.
        let (years, months) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        let eras = (years >= 0 ? years : years - 399) / 400
        let yearOfEra = years - eras * 400
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + (153 * months + 2) / 5 + day - 1
        return eras * 146_097 + dayOfEra - 719_468
    }

    /// Parses a time of day in milliseconds since midnight. A leap second, which Unix time lacks, counts as the following second.
    private static func time(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        guard let hour = digits(&rest, 2...2), take(&rest, [":"]), let minute = digits(&rest, 2...2),
            take(&rest, [":"]), let second = digits(&rest, 2...2), hour < 24, minute < 60, second <= 60
        else { return nil }
        var fraction: Int64 = 0
        if take(&rest, ["."]) {
            let all = rest.prefix { (0x30...0x39).contains($0) }
            guard !all.isEmpty else { return nil }
            for digit in all.prefix(3) { fraction = fraction * 10 + Int64(digit - 0x30) }
            for _ in all.count..<max(3, all.count) { fraction *= 10 }
            rest = rest[all.endIndex...]
        }
        return ((hour * 60 + minute) * 60 + second) * 1000 + fraction
    }

    /// Parses the offset from UTC in milliseconds, which is positive to the east.
    private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        if take(&rest, ["Z", "z"]) { return 0 }
        // A plus that is not encoded is a space in a query.
        let isEast = take(&rest, ["+", " "])
        guard isEast || take(&rest, ["-"]), let hour = digits(&rest, 2...2), take(&rest, [":"]),
            let minute = digits(&rest, 2...2), hour < 24, minute < 60
        else { return nil }
        return (hour * 60 + minute) * (isEast ? 60_000 : -60_000)
    }

    private static func take(_ rest: inout ArraySlice<UInt8>, _ allowed: [Unicode.Scalar]) -> Bool {
        guard let byte = rest.first, allowed.contains(Unicode.Scalar(byte)) else { return false }
        rest.removeFirst()
        return true
    }

    /// Parses a number with as many digits as `count` allows.
    private static func digits(_ rest: inout ArraySlice<UInt8>, _ count: ClosedRange<Int>) -> Int64? {
        let all = rest.prefix { (0x30...0x39).contains($0) }
        let taken = all.prefix(count.upperBound)
        guard taken.count >= count.lowerBound else { return nil }
        rest = rest[taken.endIndex...]
        return taken.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
}
