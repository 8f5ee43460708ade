import Foundation

/// The time zones of the IANA database, as Foundation has them.
package enum TimeZones {
    /// The maximum length of a name, in characters.
    package static let mostCharacters = 64

    /// Whether a text is a name of the form `Area/Location`, or `UTC`. Abbreviations are refused, since they have several meanings,
    /// and offsets, since they are wrong for half of the year.
    package static func isName(_ text: String) -> Bool {
        (1...mostCharacters).contains(text.utf8.count) && text.utf8.allSatisfy(isNameByte)
            && (text == "UTC" || text.utf8.contains(UInt8(ascii: "/"))) && TimeZone(identifier: text) != nil
    }

    /// Returns the minute of the day that clocks of a zone show, in 0..<1440; `nil` for an unknown zone.
    /// - Parameter milliseconds: Unix milliseconds.
    package static func minuteOfDay(at milliseconds: Int64, in name: String) -> Int64? {
        guard isName(name), let zone = TimeZone(identifier: name) else { return nil }
        // Both divisions round down, also before 1970.
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let seconds = remainder < 0 ? quotient - 1 : quotient
        let offset = Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
        let day: Int64 = 86_400
        let second = (seconds % day + offset % day + day + day) % day
        return second / 60
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"),
            UInt8(ascii: "/"):
            true
        default: false
        }
    }
}
