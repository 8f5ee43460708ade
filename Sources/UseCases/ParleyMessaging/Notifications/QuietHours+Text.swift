package import ParleyModel

/// The form in which calls have quiet hours.
extension QuietHours {
    /// Reads the fields of a request.
    /// - Parameters:
    ///   - from: A time from `00:00` to `23:59`.
    ///   - to: Another time.
    ///   - timeZone: A name that `TimeZones` knows.
    /// - Throws: `invalid` for a field that is missing or not allowed.
    package static func reading(
        from: String?, to: String?, timeZone: String?
    ) throws(MessagingError) -> QuietHours {
        guard let start = from.flatMap({ minute($0) }) else {
            throw .invalid("quiet.from must be a time from 00:00 to 23:59")
        }
        guard let end = to.flatMap({ minute($0) }) else {
            throw .invalid("quiet.to must be a time from 00:00 to 23:59")
        }
        guard let timeZone, TimeZones.isName(timeZone) else {
            throw .invalid("quiet.timezone is unknown; allowed are names such as Europe/Berlin, and UTC")
        }
        guard let hours = QuietHours(from: start, to: end, timeZone: timeZone) else {
            throw .invalid("quiet.from and quiet.to must differ; use muted_until_ms to mute everything")
        }
        return hours
    }

    /// A time of the day as `HH:MM`.
    /// - Parameter minute: In 0..<1440.
    package static func text(ofMinute minute: Int64) -> String {
        func digits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(digits(minute / 60)):\(digits(minute % 60))"
    }

    private static func minute(_ text: String) -> Int64? {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard text.utf8.count == 5, parts.count == 2, let hours = parts.first, let minutes = parts.last,
            parts.allSatisfy({ $0.count == 2 && $0.allSatisfy { (0x30...0x39).contains($0) } }),
            let hour = Int64(Substring(hours)), let minute = Int64(Substring(minutes)), hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }
}
