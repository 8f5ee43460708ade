import ParleyModel
import Testing

extension StoreFact {
    private static let night = QuietHours(from: 1320, to: 420, timeZone: "Europe/Berlin")

    /// Settings for notifications (`NotificationStore`).
    static let notifications: [StoreFact] = [
        StoreFact("settings are the standard ones until they are changed, one field at a time") { fixture in
            let (store, ann) = (fixture.store, try await fixture.user("ann"))
            let night = try #require(night)
            var expected = NotificationSettings.standard
            #expect(try await store.notifications(of: ann.id) == expected)
            func change(_ update: NotificationUpdate) async throws {
                #expect(try await store.setNotifications(update, of: ann.id) == expected)
                #expect(try await store.notifications(of: ann.id) == expected)
            }
            try await change(NotificationUpdate())
            expected.room = .all
            try await change(NotificationUpdate(room: .all))
            (expected.direct, expected.group) = (.mentions, .none)
            try await change(NotificationUpdate(direct: .mentions, group: .some(.none)))
            expected.quiet = night
            try await change(NotificationUpdate(quiet: .set(night)))
            expected.mutedUntil = NotificationSettings.latestMute
            try await change(NotificationUpdate(mutedUntil: .set(NotificationSettings.latestMute)))
            expected.quiet = nil
            try await change(NotificationUpdate(quiet: .remove))
            expected.mutedUntil = nil
            try await change(NotificationUpdate(mutedUntil: .remove))
            let unknown = UserID(trusted: "none")
            #expect(try await store.setNotifications(NotificationUpdate(), of: unknown) == nil)
            #expect(try await store.notifications(of: unknown) == .standard)
        },
        StoreFact("settings for a thread are kept for members, until nothing is left of them") { fixture in
            let (store, ann) = (fixture.store, try await fixture.user("ann"))
            let bob = try await fixture.user("bob")
            let (tea, coffee) = (try await fixture.room("tea", ann, bob), try await fixture.room("coffee", ann))
            func set(
                _ thread: ThreadID, _ level: SettingChange<NotificationLevel>, _ until: SettingChange<Int64> = .keep,
                at now: Int64 = 10
            ) async throws -> ThreadNotificationOutcome {
                let update = ThreadNotificationUpdate(level: level, mutedUntil: until)
                return try await store.setThreadNotifications(update, of: ann.id, in: thread, at: now)
            }
            let quiet = ThreadNotifications(level: .some(.none), mutedUntil: 20)
            #expect(try await set(tea, .set(.none)) == .changed(ThreadNotifications(level: .some(.none))))
            #expect(try await set(tea, .keep, .set(20)) == .changed(quiet))
            #expect(try await set(coffee, .set(.all)) == .changed(ThreadNotifications(level: .all)))
            #expect(try await store.threadNotifications(of: ann.id, in: tea) == quiet)
            #expect(try await store.threadNotifications(of: bob.id, in: tea) == .none)
            #expect(
                try await store.threadNotifications(of: ann.id) == [
                    ThreadNotificationRecord(thread: coffee, settings: ThreadNotifications(level: .all)),
                    ThreadNotificationRecord(thread: tea, settings: quiet),
                ])
            #expect(try await store.threadNotifications(of: bob.id).isEmpty)
            #expect(try await set(tea, .remove) == .changed(ThreadNotifications(mutedUntil: 20)))
            // Another change removes what has passed, and no sooner.
            _ = try await set(coffee, .keep, at: 19)
            #expect(try await store.threadNotifications(of: ann.id).count == 2)
            _ = try await set(coffee, .keep, at: 20)
            #expect(try await store.threadNotifications(of: ann.id).map(\.thread) == [coffee])
            #expect(try await set(tea, .keep, .set(10)) == .changed(.none))
            #expect(try await set(coffee, .remove, .remove) == .changed(.none))
            #expect(try await store.threadNotifications(of: ann.id).isEmpty)
            #expect(try await set(ThreadID(trusted: "none"), .set(.all)) == .nonMember)
            let other = try await fixture.room("milk", bob)
            #expect(try await set(other, .set(.all)) == .nonMember)
        },
        StoreFact("what decides about a message is read for many users at once, for those who have settings") {
            fixture in
            let (store, ann) = (fixture.store, try await fixture.user("ann"))
            let (bob, cat) = (try await fixture.user("bob"), try await fixture.user("cat"))
            let (tea, coffee) = (try await fixture.room("tea", ann, bob, cat), try await fixture.room("coffee", bob))
            let all = [cat.id, ann.id, bob.id, bob.id, UserID(trusted: "none")]
            #expect(try await store.notifications(of: all, in: tea).isEmpty)
            _ = try await store.setNotifications(NotificationUpdate(room: .all), of: ann.id)
            let mute = ThreadNotificationUpdate(mutedUntil: .set(20))
            _ = try await store.setThreadNotifications(mute, of: bob.id, in: tea, at: 10)
            _ = try await store.setThreadNotifications(mute, of: bob.id, in: coffee, at: 10)
            _ = try await store.setThreadNotifications(mute, of: ann.id, in: tea, at: 10)
            let muted = ThreadNotifications(mutedUntil: 20)
            #expect(
                try await store.notifications(of: all, in: tea) == [
                    ann.id: RecipientSettings(settings: NotificationSettings(room: .all), thread: muted),
                    bob.id: RecipientSettings(thread: muted),
                ])
            #expect(
                try await store.notifications(of: [ann.id], in: coffee) == [
                    ann.id: RecipientSettings(settings: NotificationSettings(room: .all))
                ])
            #expect(try await store.notifications(of: [], in: tea).isEmpty)
        },
        StoreFact("settings for a thread end with the membership, however it ends, and all settings with an erasure") {
            fixture in
            let (store, ann) = (fixture.store, try await fixture.user("ann"))
            let bob = try await fixture.user("bob")
            let (tea, milk) = (try await fixture.room("tea", bob, ann), try await fixture.room("milk", bob, ann))
            let update = ThreadNotificationUpdate(level: .set(.all))
            for (user, thread) in [(ann, tea), (ann, milk), (bob, tea), (bob, milk)] {
                _ = try await store.setThreadNotifications(update, of: user.id, in: thread, at: 10)
            }
            func threads(_ user: User) async throws -> [ThreadID] {
                try await store.threadNotifications(of: user.id).map(\.thread)
            }
            _ = try await store.removeMember(ann, from: tea, by: ann.id, at: 1) { _ in }
            #expect(try await threads(ann) == [milk])
            #expect(try await threads(bob) == [milk, tea])
            _ = try await store.join(ann, roomTitled: "tea", newID: tea, at: 2)
            #expect(try await threads(ann) == [milk])
            _ = try await store.setNotifications(NotificationUpdate(room: .all), of: ann.id)
            _ = try await store.setPassword("h", of: ann.id, keeping: nil)
            #expect(try await store.notifications(of: ann.id).room == .all)
            _ = try await store.eraseUser(ann.id, at: 3)
            #expect(try await threads(ann).isEmpty)
            #expect(try await store.notifications(of: ann.id) == .standard)
            #expect(try await store.setNotifications(NotificationUpdate(room: .all), of: ann.id) == nil)
            #expect(try await store.setThreadNotifications(update, of: ann.id, in: milk, at: 10) == .nonMember)
            #expect(try await threads(bob) == [milk, tea])
        },
    ]
}
