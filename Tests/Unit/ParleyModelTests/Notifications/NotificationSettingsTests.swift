import ParleyModel
import Testing

@Suite struct NotificationSettingsTests {
    @Test("quiet hours are two different minutes of a day", arguments: [-1, 0, 1, 1439, 1440] as [Int64])
    func bounds(minute: Int64) {
        let isMinute = (0...1439).contains(minute)
        #expect((QuietHours(from: minute, to: 720, timeZone: "UTC") != nil) == isMinute)
        #expect((QuietHours(from: 720, to: minute, timeZone: "UTC") != nil) == isMinute)
        #expect(QuietHours(from: minute, to: minute, timeZone: "UTC") == nil)
    }

    @Test(
        "quiet hours contain their first minute and not their last, also past midnight",
        arguments: [
            (60, 120, [60, 61, 119], [0, 59, 120, 1439]), (1320, 420, [1320, 1439, 0, 419], [420, 1319, 720]),
            (0, 1439, [0, 720, 1438], [1439]), (1439, 0, [1439], [0, 1, 1438]), (0, 1, [0], [1, 1439]),
        ] as [(Int64, Int64, [Int64], [Int64])])
    func contains(_ from: Int64, _ to: Int64, _ inside: [Int64], _ outside: [Int64]) throws {
        let hours = try #require(QuietHours(from: from, to: to, timeZone: "UTC"))
        for minute in inside { #expect(hours.contains(minute: minute), "\(minute)") }
        for minute in outside { #expect(!hours.contains(minute: minute), "\(minute)") }
    }

    @Test("quiet hours and their complement are the whole day")
    func complement() throws {
        for (from, to) in [(60, 120), (1320, 420), (0, 1439), (5, 4)] as [(Int64, Int64)] {
            let hours = try #require(QuietHours(from: from, to: to, timeZone: "UTC"))
            let others = try #require(QuietHours(from: to, to: from, timeZone: "UTC"))
            for minute in 0..<QuietHours.minutesOfDay {
                #expect(hours.contains(minute: minute) != others.contains(minute: minute), "\(from) \(to) \(minute)")
            }
        }
    }

    @Test("a change keeps, removes or sets each field on its own")
    func updates() throws {
        let quiet = try #require(QuietHours(from: 0, to: 1, timeZone: "UTC"))
        let settings = NotificationSettings(direct: .mentions, group: .none, room: .all, quiet: quiet, mutedUntil: 7)
        #expect(NotificationUpdate().applied(to: settings) == settings)
        let changed = NotificationUpdate(room: .some(.none), quiet: .remove, mutedUntil: .set(8)).applied(to: settings)
        #expect(changed == NotificationSettings(direct: .mentions, group: .none, room: .none, mutedUntil: 8))
    }

    @Test("the limit is for threads that get settings, not for those that have some or lose them")
    func limit() {
        let most = Int64(ThreadNotifications.mostOfUser)
        let (set, remove) = (ThreadNotificationUpdate(level: .set(.all)), ThreadNotificationUpdate(level: .remove))
        func outcome(_ update: ThreadNotificationUpdate, _ present: ThreadNotifications?, _ others: Int64)
            -> ThreadNotificationOutcome
        {
            ThreadNotificationOutcome(of: update, to: present, isMember: true, others: others, at: 5)
        }
        let all = ThreadNotifications(level: .all)
        #expect(outcome(set, nil, most - 1) == .changed(all))
        #expect(outcome(set, nil, most) == .tooMany)
        #expect(
            outcome(set, ThreadNotifications(mutedUntil: 9), most)
                == .changed(ThreadNotifications(level: .all, mutedUntil: 9)))
        #expect(outcome(remove, nil, most) == .changed(.none))
        #expect(outcome(ThreadNotificationUpdate(mutedUntil: .set(5)), nil, most) == .changed(.none))
        #expect(outcome(ThreadNotificationUpdate(mutedUntil: .set(6)), nil, most) == .tooMany)
        #expect(ThreadNotificationOutcome(of: set, to: all, isMember: false, others: 0, at: 5) == .nonMember)
    }

    @Test("a damaged row is refused")
    func damaged() {
        #expect(throws: StoreError.self) { try NotificationLevel(stored: "some") }
        #expect(throws: StoreError.self) { try QuietHours.stored(from: 1440, to: 0, timeZone: "UTC") }
        #expect(throws: Never.self) { try QuietHours.stored(from: nil, to: nil, timeZone: nil) }
    }
}
