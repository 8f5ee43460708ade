/// A point in time in the user's time zone, as calendar components.
package struct LocalTime: Hashable, Sendable {
    package var (year, month, day) = (1970, 1, 1)
    package var (hour, minute, second) = (0, 0, 0)

    package init() {}

    package init(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Int = 0) {
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    /// `14:03`
    package var clock: String { "\(Self.two(hour)):\(Self.two(minute))" }

    /// `14:03:59`
    package var precise: String { "\(clock):\(Self.two(second))" }

    /// `2026-11-23`
    package var date: String { "\(year)-\(Self.two(month))-\(Self.two(day))" }

    /// `23 November 2026`
    package var longDate: String {
        let names = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        return names.indices.contains(month - 1) ? "\(day) \(names[month - 1]) \(year)" : date
    }

    package func isSameDay(as other: LocalTime) -> Bool {
        (year, month, day) == (other.year, other.month, other.day)
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
