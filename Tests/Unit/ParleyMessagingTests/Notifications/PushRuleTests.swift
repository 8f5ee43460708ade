import Foundation
import ParleyMessaging
import ParleyModel
import Testing

@Suite struct PushRuleTests {
    private static let now: Int64 = 1_800_000_000_000

    private static func decide(
        _ settings: NotificationSettings = .standard, _ thread: ThreadNotifications = .none,
        in kind: ThreadInfo.Kind = .room, isMention: Bool = false, at now: Int64 = PushRuleTests.now
    ) -> PushDecision {
        PushRule.decide(RecipientSettings(settings: settings, thread: thread), in: kind, isMention: isMention, at: now)
    }

    @Test("without settings, direct threads and groups notify, and rooms of mentions")
    func standard() {
        #expect(Self.decide(in: .direct) == .notify)
        #expect(Self.decide(in: .group) == .notify)
        #expect(Self.decide(in: .room) == .silent(.level))
        #expect(Self.decide(in: .room, isMention: true) == .notify)
    }

    @Test("each level of each kind of thread decides, and the level of the thread before it")
    func levels() {
        let kinds: [ThreadInfo.Kind] = [.direct, .group, .room]
        for kind in kinds {
            for level in NotificationLevel.allCases {
                var settings = NotificationSettings(direct: .none, group: .none, room: .none)
                switch kind {
                case .direct: settings.direct = level
                case .group: settings.group = level
                case .room: settings.room = level
                }
                for isMention in [false, true] {
                    let isHeard = level == .all || level == .mentions && isMention
                    let expected: PushDecision = isHeard ? .notify : .silent(.level)
                    #expect(Self.decide(settings, in: kind, isMention: isMention) == expected)
                    let own = ThreadNotifications(level: level)
                    for other in NotificationLevel.allCases {
                        let settings = NotificationSettings(direct: other, group: other, room: other)
                        #expect(Self.decide(settings, own, in: kind, isMention: isMention) == expected)
                    }
                }
            }
        }
    }

    @Test(
        "a mute ends at its time, also at the limits of numbers",
        arguments: [.min, -1, 0, 1, now, NotificationSettings.latestMute, .max] as [Int64])
    func mutes(until: Int64) {
        for now in [until == .min ? until : until - 1, until, until == .max ? until : until + 1] {
            let isMuted = now < until
            let all = Self.decide(NotificationSettings(room: .all, mutedUntil: until), isMention: true, at: now)
            #expect(all == (isMuted ? .silent(.muted) : .notify))
            let thread = Self.decide(.standard, ThreadNotifications(mutedUntil: until), in: .direct, at: now)
            #expect(thread == (isMuted ? .silent(.threadMuted) : .notify))
        }
    }

    @Test("the reason is the first one that holds")
    func order() throws {
        let quiet = try #require(QuietHours(from: 0, to: 1439, timeZone: "UTC"))
        var settings = NotificationSettings(room: .none, quiet: quiet, mutedUntil: Self.now + 1)
        var thread = ThreadNotifications(mutedUntil: Self.now + 1)
        #expect(Self.decide(settings, thread) == .silent(.muted))
        settings.mutedUntil = nil
        #expect(Self.decide(settings, thread) == .silent(.threadMuted))
        thread.mutedUntil = nil
        #expect(Self.decide(settings, thread) == .silent(.level))
        settings.room = .all
        #expect(Self.decide(settings, thread, isMention: true) == .silent(.quietHours))
        settings.quiet = nil
        #expect(Self.decide(settings, thread) == .notify)
    }

    // MARK: Quiet hours

    private static func milliseconds(_ text: String) throws -> Int64 {
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return Int64((try format.parse(text).timeIntervalSince1970 * 1000).rounded())
    }

    private static func isQuiet(_ from: Int64, _ to: Int64, _ zone: String, at text: String) throws -> Bool {
        let quiet = try #require(QuietHours(from: from, to: to, timeZone: zone))
        let decision = decide(NotificationSettings(quiet: quiet), in: .direct, at: try milliseconds(text))
        #expect([.notify, .silent(.quietHours)].contains(decision))
        return decision != .notify
    }

    @Test(
        "quiet hours from 22:00 to 07:00 begin and end to the millisecond, in summer and winter",
        arguments: [
            // Berlin is two hours ahead of UTC in summer, and one in winter.
            ("2026-07-01T19:59:59.999Z", false), ("2026-07-01T20:00:00.000Z", true),
            ("2026-07-01T21:59:59.999Z", true), ("2026-07-01T22:00:00.000Z", true),
            ("2026-07-02T04:59:59.999Z", true), ("2026-07-02T05:00:00.000Z", false),
            ("2026-01-01T20:59:59.999Z", false), ("2026-01-01T21:00:00.000Z", true),
            ("2026-01-01T23:00:00.000Z", true), ("2026-01-02T05:59:59.999Z", true),
            ("2026-01-02T06:00:00.000Z", false),
            // The year 1960, before the first second of Unix time.
            ("1960-01-01T20:59:59.999Z", false), ("1960-01-01T21:00:00.000Z", true),
        ])
    func windows(_ text: String, _ isQuiet: Bool) throws {
        #expect(try Self.isQuiet(1320, 420, "Europe/Berlin", at: text) == isQuiet)
    }

    @Test(
        "when clocks go forward from 02:00 to 03:00, quiet hours in the hour that is left out do not occur",
        arguments: [
            // 02:00 to 03:00; on the day before they are at 01:00Z.
            (120, 180, "2026-03-28T01:00:00.000Z", true), (120, 180, "2026-03-29T00:59:59.999Z", false),
            (120, 180, "2026-03-29T01:00:00.000Z", false),
            // 02:30 to 03:30 begin at 03:00.
            (150, 210, "2026-03-29T00:59:59.999Z", false), (150, 210, "2026-03-29T01:00:00.000Z", true),
            (150, 210, "2026-03-29T01:29:59.999Z", true), (150, 210, "2026-03-29T01:30:00.000Z", false),
            // 22:00 to 07:00 are an hour shorter.
            (1320, 420, "2026-03-28T21:00:00.000Z", true), (1320, 420, "2026-03-29T04:59:59.999Z", true),
            (1320, 420, "2026-03-29T05:00:00.000Z", false),
        ] as [(Int64, Int64, String, Bool)])
    func forward(_ from: Int64, _ to: Int64, _ text: String, _ isQuiet: Bool) throws {
        #expect(try Self.isQuiet(from, to, "Europe/Berlin", at: text) == isQuiet)
    }

    @Test(
        "when clocks go back from 03:00 to 02:00, quiet hours in the hour that occurs twice do, too",
        arguments: [
            (120, 180, "2026-10-24T23:59:59.999Z", false), (120, 180, "2026-10-25T00:00:00.000Z", true),
            (120, 180, "2026-10-25T01:59:59.999Z", true), (120, 180, "2026-10-25T02:00:00.000Z", false),
            // 02:30 to 03:00 are interrupted.
            (150, 180, "2026-10-25T00:30:00.000Z", true), (150, 180, "2026-10-25T00:59:59.999Z", true),
            (150, 180, "2026-10-25T01:00:00.000Z", false), (150, 180, "2026-10-25T01:30:00.000Z", true),
            (150, 180, "2026-10-25T02:00:00.000Z", false),
            // 22:00 to 07:00 are an hour longer.
            (1320, 420, "2026-10-24T20:00:00.000Z", true), (1320, 420, "2026-10-25T05:59:59.999Z", true),
            (1320, 420, "2026-10-25T06:00:00.000Z", false),
        ] as [(Int64, Int64, String, Bool)])
    func back(_ from: Int64, _ to: Int64, _ text: String, _ isQuiet: Bool) throws {
        #expect(try Self.isQuiet(from, to, "Europe/Berlin", at: text) == isQuiet)
    }

    @Test("zones with offsets of part of an hour, on the other side of the world, and none")
    func zones() throws {
        // 22:00 in Kathmandu is 16:15Z; in Auckland, in winter, 10:00Z; in Honolulu 08:00Z.
        for (zone, time) in [("Asia/Kathmandu", "16:15"), ("Pacific/Auckland", "10:00"), ("Pacific/Honolulu", "08:00")]
        {
            #expect(try Self.isQuiet(1320, 1321, zone, at: "2026-07-01T\(time):00.000Z"), "\(zone)")
            #expect(try Self.isQuiet(1320, 1321, zone, at: "2026-07-01T\(time):59.999Z"), "\(zone)")
            #expect(try !Self.isQuiet(1319, 1320, zone, at: "2026-07-01T\(time):00.000Z"), "\(zone)")
        }
        #expect(try Self.isQuiet(0, 1, "UTC", at: "2026-07-01T00:00:59.999Z"))
    }

    @Test(
        "an unknown zone has no quiet hours, and no time ends the process",
        arguments: [.min, -1, 0, now, .max] as [Int64])
    func limits(now: Int64) throws {
        for zone in ["Nowhere/None", "", "Europe/Berlin", "UTC", "Pacific/Apia"] {
            let quiet = try #require(QuietHours(from: 0, to: 720, timeZone: zone))
            let rest = try #require(QuietHours(from: 720, to: 0, timeZone: zone))
            let decisions = [quiet, rest].map {
                Self.decide(NotificationSettings(quiet: $0), in: .direct, at: now)
            }
            #expect(decisions.contains(.notify))
            #expect(decisions.contains(.silent(.quietHours)) == TimeZones.isName(zone), "\(zone)")
        }
    }
}
