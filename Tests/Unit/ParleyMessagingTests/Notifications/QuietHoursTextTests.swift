import ParleyMessaging
import ParleyModel
import Testing

@Suite("Quiet hours and time zones as calls have them")
struct QuietHoursTextTests {
    @Test("times of the day are read and written as HH:MM")
    func times() throws {
        for (from, to, minutes) in [
            ("00:00", "23:59", (0, 1439)), ("22:00", "07:00", (1320, 420)), ("09:05", "09:06", (545, 546)),
        ]
            as [(String, String, (Int64, Int64))]
        {
            let hours = try QuietHours.reading(from: from, to: to, timeZone: "Europe/Berlin")
            #expect(hours.from == minutes.0 && hours.to == minutes.1)
            #expect(QuietHours.text(ofMinute: hours.from) == from && QuietHours.text(ofMinute: hours.to) == to)
        }
    }

    @Test(
        "anything else is refused with the name of the field",
        arguments: [
            nil, "", "24:00", "23:60", "9:00", "09:0", "09.00", "09:00 ", "+9:00", "-1:00", "09:00:00", "aa:bb",
            "٠٩:٠٠",
        ])
    func malformed(time: String?) {
        for (from, to, field) in [(time, "10:00", "quiet.from"), ("10:00", time, "quiet.to")]
            as [(String?, String?, String)]
        {
            do throws(MessagingError) {
                _ = try QuietHours.reading(from: from, to: to, timeZone: "UTC")
                Issue.record("accepted: \(time ?? "nil")")
            } catch {
                #expect(error.code == .badRequest && error.message.hasPrefix(field))
            }
        }
    }

    @Test("a beginning that is the end is refused")
    func empty() {
        #expect(throws: MessagingError.self) { try QuietHours.reading(from: "10:00", to: "10:00", timeZone: "UTC") }
    }

    @Test(
        "names of the IANA database are known",
        arguments: [
            "UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Asia/Kolkata", "Asia/Calcutta", "Etc/GMT+5",
            "America/Port-au-Prince", "US/Pacific",
        ])
    func known(name: String) {
        #expect(TimeZones.isName(name))
        #expect(throws: Never.self) { try QuietHours.reading(from: "10:00", to: "11:00", timeZone: name) }
    }

    @Test(
        "other texts are not",
        arguments: [
            "", "Europe", "Nowhere/None", "europe/berlin", "EUROPE/BERLIN", "GMT+5", "UTC+3", "+03:00", "EST",
            "PST8PDT",
            "../../etc/passwd", "/etc/localtime", "posix/Europe/Berlin", "Europe/Berlin ", "Europe/Berlin\u{0}",
            "Europe/Bérlin",
            "Europe/" + String(repeating: "a", count: 100),
        ])
    func unknown(name: String) {
        #expect(!TimeZones.isName(name))
        #expect(throws: MessagingError.self) { try QuietHours.reading(from: "10:00", to: "11:00", timeZone: name) }
    }
}
