import Foundation
import ParleyClient
import ParleyJSON
import ParleyTestSupport
import Testing

/// Payloads of pushes as apps read them. `PushDecodingTests` reads what the server's senders write.
@Suite("Notifications from payloads")
struct NotificationTests {
    private static var message: [String: Any] {
        [
            "kind": "message", "thread": "lobby", "id": "m7", "sender": ["id": "u1", "name": "Ann"],
            "thread_kind": "direct",
            "mention": true, "seq": 7,
            "unread": ["thread": 2, "total": 5], "at_ms": 1_800_000_000_000,
        ]
    }
    private static var aps: [String: Any] {
        [
            "alert": ["title": "Ann", "body": "Hello"], "sound": "default", "mutable-content": 1, "badge": 5,
        ]
    }
    private static let expected = ChatNotification(
        threadID: "lobby", messageID: "m7", seq: 7, senderID: "u1", senderName: "Ann", threadKind: .direct,
        isMention: true,
        title: "Ann", text: "Hello", unread: 2, badge: 5, date: Date(timeIntervalSince1970: 1_800_000_000))

    private func changed(_ name: String, _ value: Any?) -> [AnyHashable: Any] {
        var members = Self.message
        members[name] = value
        return ["aps": Self.aps, "parley": members]
    }

    @Test("a message and a clear of APNs, as JSON and as the system's dictionary")
    func apns() throws {
        let json = try JSONSerialization.data(withJSONObject: ["aps": Self.aps, "parley": Self.message])
        #expect(ChatNotification(json: json) == Self.expected)
        let parsed = try #require(try JSONSerialization.jsonObject(with: json) as? [AnyHashable: Any])
        #expect(ChatNotification(parsed) == Self.expected)
        #expect(ChatNotification(["aps": Self.aps, "parley": Self.message]) == Self.expected)
        let clear = ChatNotification(json: Data(Self.clear.utf8))
        #expect(
            clear
                == ChatNotification(
                    kind: .clear, threadID: "lobby", seq: 7, badge: 3, date: Date(timeIntervalSince1970: 1_800_000_000))
        )
    }

    private static let clear = """
        {"aps":{"badge":3,"content-available":1},"parley":{"at_ms":1800000000000,"kind":"clear","seq":7,\
        "thread":"lobby","unread":{"thread":0,"total":3}}}
        """

    @Test("the data of FCM, whose values are texts, alone and merged into the dictionary of APNs")
    func fcm() {
        let data = [
            "kind": "message", "thread": "lobby", "id": "m7", "sender_id": "u1", "sender_name": "Ann",
            "thread_kind": "direct", "mention": "true", "seq": "7", "unread_thread": "2",
            "unread_total": "5", "at_ms": "1800000000000",
        ]
        let silent = ChatNotification(data)
        #expect(silent?.messageID == "m7" && silent?.isMention == true && silent?.badge == 5)
        #expect(silent?.title == nil && silent?.text == nil)
        var merged: [AnyHashable: Any] = data
        merged["aps"] = Self.aps
        merged["gcm.message_id"] = "1"
        #expect(ChatNotification(merged) == Self.expected)
    }

    @Test("numbers and Booleans of the system are read, an alert may be one text")
    func forms() {
        let numbers = changed("seq", NSNumber(value: 7))
        #expect(ChatNotification(numbers) == Self.expected)
        #expect(ChatNotification(changed("at_ms", NSNumber(value: 1_800_000_000_000 as Int64))) == Self.expected)
        for yes in [true, NSNumber(value: true), 1, "true"] as [Any] {
            #expect(ChatNotification(changed("mention", yes))?.isMention == true, "\(yes)")
        }
        for no in [false, NSNumber(value: false), 0, "false", "yes", ["true"]] as [Any] {
            #expect(ChatNotification(changed("mention", no))?.isMention == false, "\(no)")
        }
        #expect(ChatNotification(changed("mention", nil))?.isMention == false)
        #expect(ChatNotification(changed("thread_kind", "channel"))?.threadKind == .other)
        for sender in [nil, "u1", ["id": ""], ["id": 7]] as [Any?] {
            let read = ChatNotification(changed("sender", sender))
            #expect(read?.messageID == "m7" && read?.senderID == nil && read?.senderName == nil)
        }
        let plain = ChatNotification(["aps": ["alert": "Hello"], "parley": Self.message])
        #expect(plain?.text == "Hello" && plain?.title == nil)
    }

    @Test(
        "what is not of a server of Parley, or lacks something, is nothing",
        arguments: [
            "", "null", "[]", "7", "\"parley\"", "{", "{}", #"{"aps":{"alert":"Hello"}}"#, #"{"parley":null}"#,
            #"{"parley":[]}"#, #"{"parley":"message"}"#, #"{"parley":{"kind":"message"}}"#,
            #"{"aps":{},"kind":"message","thread":"t","id":"m","seq":"1"}"#,
            #"{"parley":{"kind":"message","kind":"clear"}}"#,
        ])
    func foreign(json: String) {
        #expect(ChatNotification(json: Data(json.utf8)) == nil)
        let value = try? JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
        if let members = value as? [AnyHashable: Any], !json.contains(#","kind":"clear""#) {
            #expect(ChatNotification(members) == nil)
        }
    }

    @Test("no member may be missing, empty or of another type, and numbers are limited to their ranges")
    func members() {
        for name in ["kind", "thread", "id", "seq", "unread", "at_ms"] {
            for value in [nil, "", [1], ["a": ["b": ["c": 1]]], NSNull(), Date(), Double.nan] as [Any?] {
                #expect(ChatNotification(changed(name, value)) == nil, "\(name) is \(value ?? "missing")")
            }
        }
        #expect(ChatNotification(changed("kind", "reaction")) == nil)
        for seq in [-1, 1 << 60, 1.5, "1e3", "99999999999999999999", NSNumber(value: Double.infinity)] as [Any] {
            #expect(ChatNotification(changed("seq", seq)) == nil, "\(seq)")
        }
        let counts = ChatNotification(changed("unread", ["thread": -3, "total": Int.max]))
        #expect(counts?.unread == 0 && counts?.badge == 9_007_199_254_740_991)
        let late = ChatNotification(changed("at_ms", Int.max))
        #expect(late?.date == Date(timeIntervalSince1970: 253_402_300_799.999))
        #expect(ChatNotification(changed("at_ms", Int.min))?.date == Date(timeIntervalSince1970: 0))
    }

    @Test("random payloads never end the process", arguments: 0..<20 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        let names = ["aps", "alert", "title", "body", "parley", "data", "notification"] + Self.message.keys.sorted()
        func value(_ levels: Int) -> Any {
            switch Int.random(in: 0..<(levels > 0 ? 12 : 9), using: &random) {
            case 0: return Int64.random(in: .min ... .max, using: &random)
            case 1: return Double.random(in: -1e300...1e300, using: &random)
            case 2: return Bool.random(using: &random)
            case 3: return NSNull()
            case 4: return "message"
            case 5: return "\(Int.random(in: -9...9, using: &random))"
            case 6: return Int.random(in: 0...9, using: &random)
            case 7: return Data([1])
            case 8: return [1, 2]
            default:
                let count = Int.random(in: 0...8, using: &random)
                return Dictionary(
                    (0..<count).compactMap { _ in names.randomElement(using: &random) }.map { ($0, value(levels - 1)) }
                ) { first, _ in first }
            }
        }
        var read = 0
        for _ in 0..<500 {
            var members = Self.message
            for name in names.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)) {
                members[name] = value(5)
            }
            let payloads: [[AnyHashable: Any]] = [["aps": value(4), "parley": members], members, ["data": value(5)]]
            read += payloads.count { ChatNotification($0) != nil }
        }
        #expect(read > 0)
    }

    @Test("a clear removes the notifications of its thread up to its position")
    func cleared() {
        func push(_ kind: ChatNotification.Kind, _ thread: ChatThread.ID, _ seq: Int) -> ChatNotification {
            ChatNotification(kind: kind, threadID: thread, seq: seq, date: Date(timeIntervalSince1970: 0))
        }
        let shown = push(.message, "a", 7)
        #expect(shown.isCleared(by: push(.clear, "a", 7)) && shown.isCleared(by: push(.clear, "a", 8)))
        #expect(!shown.isCleared(by: push(.clear, "a", 6)) && !shown.isCleared(by: push(.clear, "b", 8)))
        #expect(!shown.isCleared(by: push(.message, "a", 8)))
    }
}
