import Foundation
import ParleyClient
import ParleyJSON
import ParleyMessaging
import ParleyModel
import ParleyTestSupport
import Testing

/// What the senders write is what ParleyClient reads.
@Suite("Pushes as apps read them")
struct PushDecodingTests {
    private let fixture: PushFixture

    init() throws {
        fixture = try PushFixture()
    }

    /// The payload that a sender writes for a device.
    private func sent(_ notification: PushNotification, to target: PushTarget) async throws -> JSONTree {
        #expect(await fixture.senders.send(notification, to: target) == .delivered)
        #expect(fixture.services.problems == [])
        return try #require(fixture.services.pushes.last).content
    }

    /// Returns what an app reads of the JSON, which has to be the same as what it reads of the system's dictionary.
    private func read(_ tree: JSONTree) throws -> ChatNotification {
        let json = Data(tree.json)
        let members = try #require(try JSONSerialization.jsonObject(with: json) as? [AnyHashable: Any])
        let read = try #require(ChatNotification(json: json))
        #expect(ChatNotification(members) == read)
        return read
    }

    private func check(_ read: ChatNotification, _ sent: PushNotification) {
        #expect(read.kind == (sent.alert == nil ? .clear : .message))
        #expect(read.threadID.rawValue == sent.thread.text && read.seq == Int(sent.seq))
        #expect(read.messageID == sent.alert?.id.text && read.isMention == (sent.alert?.isMention ?? false))
        #expect(read.senderID?.rawValue == sent.alert?.sender.text && read.senderName == sent.alert?.senderName)
        #expect(read.threadKind?.rawValue == sent.alert?.threadKind.rawValue)
        #expect(read.title == sent.alert?.title && read.text == sent.alert?.body)
        #expect(read.unread == sent.unread.thread && read.badge == sent.unread.total)
        #expect(read.date == Date(timeIntervalSince1970: Double(sent.at) / 1000))
    }

    private static let notifications = [
        PushNotification.message(), .message("Hi \"you\" 👋\n", isMention: true, threadKind: .group), .clear(),
        .message(
            title: "Garden", thread: "0190f3a2", seq: 9_007_199_254_740_991, senderName: "Ann \"of\" the garden 🌱",
            threadKind: .room, unread: .init(thread: 0, total: 0), at: 1),
        .clear(thread: "ü", seq: 0, unread: .init(thread: 1, total: 70_000)),
    ]

    @Test("all services carry the same values", arguments: notifications)
    func services(notification: PushNotification) async throws {
        for target in try fixture.targets() {
            check(try read(try await sent(notification, to: target)), notification)
        }
    }

    @Test("data of FCM that iOS merges into the dictionary of an alert", arguments: notifications)
    func merged(notification: PushNotification) async throws {
        let content = try await sent(notification, to: PushFixture.fcm())
        var members: [AnyHashable: Any] = [:]
        guard case .members(let data)? = content["data"] else {
            Issue.record("there is no data")
            return
        }
        for member in data { members[member.key] = member.value.text }
        if let alert = notification.alert { members["aps"] = ["alert": ["title": alert.title, "body": alert.body]] }
        check(try #require(ChatNotification(members)), notification)
    }

    @Test("texts that were cut are read as they were sent")
    func cut() async throws {
        let long = PushNotification.message(
            String(repeating: "👨‍👩‍👧‍👦", count: 1_000), title: String(repeating: "ü", count: 1_000),
            senderName: String(repeating: "\"", count: 1_000))
        for target in try fixture.targets() {
            let read = try read(try await sent(long, to: target))
            #expect(read.title?.hasSuffix("…") == true && read.text?.hasSuffix("…") == true)
            #expect(read.senderName?.hasSuffix("…") == true && read.senderName == long.alert?.senderName)
            #expect(long.alert?.body.hasPrefix(read.text?.dropLast() ?? "-") == true)
        }
    }
}
