import Foundation
import ParleyClient
import ParleyClientTesting
import Testing

/// Devices and settings for notifications on the server of apps' tests.
extension FakeChatServerTests {
    private var token: Data { Data([0x00, 0xFC, 0x13, 0x0A]) }

    private func body(of method: String) -> String? {
        server.requests.last { $0.method == method }.map { String(decoding: $0.body, as: UTF8.self) }
    }

    @Test("an app registers its token, again at each start, and a test sees it")
    func devices() async throws {
        let client = try await connected(ada)
        let device = try await client.registerDevice(token, topic: "org.example.chat", environment: .sandbox)
        #expect(
            body(of: "POST") == """
                {"environment":"sandbox","kind":"apns","token":"00fc130a","topic":"org.example.chat"}
                """)
        #expect(device.kind == .apns && device.since == server.clock.date && device.lastUsed == device.since)
        advance(by: .seconds(60))
        let again = try await client.registerDevice(token, topic: "org.example.chat")
        #expect(again.id == device.id && again.since == device.since)
        #expect(again.lastUsed == device.since.addingTimeInterval(60))
        #expect(try await client.devices() == [again])
        let registered = server.devices(of: ada)
        #expect(registered.map(\.device) == [again])
        #expect(
            registered.first?.address == .apns(token: token, topic: "org.example.chat", environment: .production))
        try await client.removeDevice(device.id)
        #expect(server.devices(of: ada).isEmpty)
        await #expect(throws: Self.refusedAs(.notFound)) { try await client.removeDevice(device.id) }
        server.goOffline()
        await #expect(throws: ChatError.offline) { try await client.registerDevice(token, topic: "a") }
    }

    @Test("devices of Firebase and of browsers are registered, and what is not allowed is refused")
    func addresses() async throws {
        let client = try await connected(ada)
        let fcm = ChatDeviceAddress.fcm(token: "abc:def")
        #expect(try await client.registerDevice(at: fcm).kind == .fcm)
        #expect(body(of: "POST") == #"{"kind":"fcm","token":"abc:def"}"#)
        let key = Data([4] + Array(repeating: 0xFB, count: 64))
        let web = ChatDeviceAddress.web(
            endpoint: "https://push.example/1", publicKey: key, secret: Data(repeating: 0xFF, count: 16))
        #expect(try await client.registerDevice(at: web).kind == .web)
        #expect(body(of: "POST")?.contains(#""auth":"_____________________w""#) == true)
        #expect(server.devices(of: ada).map(\.address) == [web, fcm])
        for address in [
            .apns(token: Data(), topic: "a"), .apns(token: Data(repeating: 1, count: 101), topic: "a"),
            .apns(token: token, topic: ""), .apns(token: token, topic: "a b"), .fcm(token: ""), .fcm(token: "a b"),
            .web(endpoint: "http://push.example/1", publicKey: key, secret: Data(repeating: 0, count: 16)),
            .web(endpoint: "https://push.example/1", publicKey: Data(), secret: Data(repeating: 0, count: 16)),
        ] as [ChatDeviceAddress] {
            await #expect(throws: Self.refusedAs(.badRequest), "\(address)") {
                try await client.registerDevice(at: address)
            }
        }
        #expect(try await client.pushServices() == ChatPushServices(hasAPNs: true))
        server.setPushServices(ChatPushServices(hasFCM: true, webKey: "BNc"))
        #expect(try await client.pushServices() == ChatPushServices(hasFCM: true, webKey: "BNc"))
    }

    @Test("a device ends with its session, goes to the next user of the phone, and with twenty others")
    func endOfDevices() async throws {
        let (hers, his) = (try await connected(ada), try await connected(bob))
        let device = try await hers.registerDevice(token, topic: "a")
        let taken = try await his.registerDevice(token, topic: "a")
        #expect(taken.id != device.id && server.devices(of: ada).isEmpty)
        for number in 1...20 { try await his.registerDevice(at: .fcm(token: "token\(number)")) }
        #expect(try await his.devices().count == 20)
        #expect(server.devices(of: bob).allSatisfy { $0.device.id != taken.id })
        server.endSessions(of: bob)
        #expect(server.devices(of: bob).isEmpty)
        try await hers.registerDevice(token, topic: "a")
        server.removeDevices(of: ada)
        #expect(try await hers.devices().isEmpty)
    }

    @Test("a user sets levels, quiet hours and a silence, which all devices share")
    func notificationSettings() async throws {
        let (phone, tablet) = (try await connected(ada), try await connected(ada))
        #expect(try await phone.notificationSettings() == ChatNotificationSettings())
        try await phone.setNotifications(group: .mentions, room: .nothing)
        #expect(body(of: "PATCH") == #"{"default":{"group":"mentions","room":"none"}}"#)
        let night = ChatQuietHours(from: 22 * 60, to: 7 * 60 + 5, timeZone: "Europe/Berlin")
        try await phone.setQuietHours(night)
        #expect(
            body(of: "PATCH") == #"{"quiet":{"from":"22:00","timezone":"Europe/Berlin","to":"07:05"}}"#)
        let end = server.clock.date.addingTimeInterval(3600)
        let settings = try await phone.muteNotifications(until: end)
        #expect(
            settings
                == ChatNotificationSettings(group: .mentions, room: .nothing, quietHours: night, mutedUntil: end))
        #expect(try await tablet.notificationSettings() == settings)
        #expect(server.notificationSettings(of: ada) == settings)
        for hours in [
            ChatQuietHours(from: 60, to: 60, timeZone: "UTC"), ChatQuietHours(from: -1, to: 60, timeZone: "UTC"),
            ChatQuietHours(from: 0, to: 1440, timeZone: "UTC"), ChatQuietHours(from: 0, to: .max, timeZone: "UTC"),
            ChatQuietHours(from: 0, to: 60, timeZone: "Nowhere/City"), ChatQuietHours(from: 0, to: 60, timeZone: "CET"),
        ] {
            await #expect(throws: Self.refusedAs(.badRequest), "\(hours)") { try await phone.setQuietHours(hours) }
        }
        await #expect(throws: Self.refusedAs(.badRequest)) { try await phone.setNotifications(direct: .other) }
        let forever = try await phone.muteNotifications(until: .distantFuture)
        #expect(try #require(forever.mutedUntil) > server.clock.date)
        try await phone.setQuietHours(nil)
        let last = try await phone.muteNotifications(until: nil)
        #expect(body(of: "PATCH") == #"{"muted_until_ms":null}"#)
        #expect(last == ChatNotificationSettings(group: .mentions, room: .nothing))
    }

    @Test("a thread has settings of its own, which end with the membership")
    func threadNotifications() async throws {
        let his = try await connected(bob)
        let none = ChatThreadNotifications(threadID: garden)
        #expect(try await his.notifications(in: garden) == none)
        #expect(try await his.setNotifications(.nothing, in: garden).level == .nothing)
        #expect(body(of: "PATCH") == #"{"level":"none"}"#)
        let end = server.clock.date.addingTimeInterval(60)
        let both = try await his.muteNotifications(in: garden, until: end)
        #expect(both == ChatThreadNotifications(threadID: garden, level: .nothing, mutedUntil: end))
        let settings = try await his.notificationSettings()
        #expect(settings.threads == [both])
        let thread = try #require(await his.thread(garden))
        #expect(settings.level(in: thread) == .nothing)
        #expect(ChatNotificationSettings().level(in: thread) == .mentions)
        let silent = try await his.setNotifications(nil, in: garden)
        #expect(silent == ChatThreadNotifications(threadID: garden, mutedUntil: end))
        advance(by: .seconds(60))
        #expect(try await his.setNotifications(nil, in: garden) == none)
        #expect(server.notificationSettings(of: bob).threads.isEmpty)
        try await his.setNotifications(.all, in: garden)
        server.remove(bob, from: garden)
        #expect(server.notificationSettings(of: bob).threads.isEmpty)
        await #expect(throws: Self.refusedAs(.notAMember)) { try await his.notifications(in: garden) }
        await #expect(throws: Self.refusedAs(.notFound)) { try await his.setNotifications(.all, in: "nowhere") }
    }
}
