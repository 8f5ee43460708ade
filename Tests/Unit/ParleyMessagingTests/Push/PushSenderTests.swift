import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel
import ParleyTestSupport
import Testing

@Suite("Senders of pushes")
struct PushSenderTests {
    private let fixture: PushFixture

    init() throws {
        fixture = try PushFixture()
    }

    private func sent(_ notification: PushNotification, to target: PushTarget) async throws -> PushServices.Push {
        #expect(await fixture.senders.send(notification, to: target) == .delivered)
        #expect(fixture.services.problems == [])
        return try #require(fixture.services.pushes.last)
    }

    // MARK: Content

    @Test("an alert for APNs")
    func apnsAlert() async throws {
        let push = try await sent(.message("Hi \"you\"", isMention: true), to: PushFixture.apns())
        #expect(push.path == "/3/device/\(PushFixture.deviceToken)")
        #expect(push.headers["apns-topic"] == "com.example.chat")
        #expect(push.headers["apns-priority"] == "10")
        #expect(push.headers["apns-expiration"] == "1800086400")
        #expect(
            push.content.canonical == """
                {"aps":{"alert":{"body":"Hi \\"you\\"","title":"Ann"},"badge":5,"interruption-level":"time-sensitive",\
                "mutable-content":1,"sound":"default","thread-id":"lobby"},"parley":{"at_ms":1800000000000,"id":"m7",\
                "kind":"message","mention":true,"sender":{"id":"u1","name":"Ann"},"seq":7,"thread":"lobby",\
                "thread_kind":"direct","unread":{"thread":2,"total":5}}}
                """)
    }

    @Test("a clear for APNs, which changes the badge and wakes the app")
    func apnsClear() async throws {
        let push = try await sent(.clear(), to: PushFixture.apns(.sandbox))
        #expect(push.headers["apns-priority"] == "5")
        #expect(
            push.content.canonical == """
                {"aps":{"badge":3,"content-available":1},"parley":{"at_ms":1800000000000,"kind":"clear","seq":7,\
                "thread":"lobby","unread":{"thread":0,"total":3}}}
                """)
    }

    @Test("an alert and a clear for FCM, whose data are texts")
    func fcm() async throws {
        let alert = try await sent(.message(), to: PushFixture.fcm())
        #expect(alert.path == "/v1/projects/project-1/messages:send")
        let tag = try #require(alert.content["android"]?["notification"]?["tag"]?.text)
        #expect(tag.utf8.count == 32)
        #expect(
            alert.content.canonical == """
                {"android":{"notification":{"notification_count":2,"tag":"\(tag)"},"priority":"HIGH","ttl":"86400s"},\
                "data":{"at_ms":"1800000000000","id":"m7","kind":"message","mention":"false",\
                "sender_id":"u1","sender_name":"Ann","seq":"7","thread":"lobby","thread_kind":"direct",\
                "unread_thread":"2","unread_total":"5"},"notification":{"body":"Hello","title":"Ann"},\
                "token":"fcm-token:1"}
                """)
        let clear = try await sent(.clear(), to: PushFixture.fcm())
        let key = try #require(clear.content["android"]?["collapse_key"]?.text)
        #expect(
            clear.content.canonical == """
                {"android":{"collapse_key":"\(key)","priority":"NORMAL","ttl":"86400s"},\
                "data":{"at_ms":"1800000000000","kind":"clear","seq":"7","thread":"lobby","unread_thread":"0",\
                "unread_total":"3"},"token":"fcm-token:1"}
                """)
    }

    @Test("an alert and a clear for a browser, encrypted")
    func web() async throws {
        let target = try fixture.web()
        let alert = try await sent(.message(), to: target)
        #expect(
            alert.content.canonical == """
                {"at_ms":1800000000000,"body":"Hello","id":"m7","kind":"message","mention":false,\
                "sender":{"id":"u1","name":"Ann"},"seq":7,"thread":"lobby","thread_kind":"direct","title":"Ann","unread":{"thread":2,"total":5}}
                """)
        #expect(alert.headers["ttl"] == "86400")
        #expect(alert.headers["urgency"] == "normal")
        let clear = try await sent(.clear(), to: target)
        #expect(clear.content["kind"]?.text == "clear")
        #expect(clear.headers["urgency"] == "low")
        #expect(clear.headers["topic"] == alert.headers["topic"], "a clear replaces the message that waits")
        let mention = try await sent(.message(isMention: true), to: fixture.web())
        #expect(mention.headers["urgency"] == "high")
        #expect(mention.headers["topic"] != alert.headers["topic"], "topics of subscriptions cannot be compared")
        #expect(fixture.services.strangers.count == 3, "an endpoint is a stranger's")
    }

    @Test("newer pushes of a thread replace older ones, and no others")
    func collapse() async throws {
        var keys: [String: Set<String>] = [:]
        for thread in ["a", "b"] {
            for seq in 1...3 as ClosedRange<Int64> {
                let push = try await sent(.message(thread: thread, seq: seq), to: PushFixture.apns())
                keys["\(thread) message", default: []].insert(try #require(push.headers["apns-collapse-id"]))
            }
            let clear = try await sent(.clear(thread: thread), to: PushFixture.apns())
            keys["\(thread) clear", default: []].insert(try #require(clear.headers["apns-collapse-id"]))
        }
        #expect(keys.values.allSatisfy { $0.count == 1 })
        #expect(Set(keys.values).count == 4)
    }

    @Test(
        "lifetimes are bounded, and 0 asks for one attempt",
        arguments: [(-5, 0), (0, 0), (60, 60), (9_999_999, 2_419_200)] as [(Int64, Int64)])
    func lifetime(seconds: Int64, expected: Int64) async throws {
        var notification = PushNotification.message()
        notification.lifetime = .seconds(seconds)
        let web = try await sent(notification, to: fixture.web())
        #expect(web.headers["ttl"] == "\(expected)")
        let fcm = try await sent(notification, to: PushFixture.fcm())
        #expect(fcm.content["android"]?["ttl"]?.text == "\(expected)s")
        let apns = try await sent(notification, to: PushFixture.apns())
        #expect(apns.headers["apns-expiration"] == (expected == 0 ? "0" : "\(1_800_000_000 + expected)"))
    }

    // MARK: Limits

    @Test(
        "a text of any length and kind fits into 4,096 bytes, and is not cut inside of a character",
        arguments: ["a", "\"", "\n", "ü", "漢", "🎉", "👨‍👩‍👧‍👦", "🇩🇪", "e\u{301}\u{323}"])
    func limits(unit: String) async throws {
        for (title, body) in [
            ("Ann", String(repeating: unit, count: 5_000)), (String(repeating: unit, count: 5_000), "Hello"),
            (String(repeating: unit, count: 5_000), String(repeating: unit, count: 5_000)),
        ] {
            let thread = String(repeating: "t", count: 90)
            for target in try fixture.targets() {
                let push = try await sent(.message(body, title: title, thread: thread), to: target)
                let texts = push.content["aps"]?["alert"] ?? push.content["notification"] ?? push.content
                for (name, original) in [("title", title), ("body", body)] {
                    let text = try #require(texts[name]?.text)
                    let kept = text.last == "…" ? String(text.dropLast()) : text
                    #expect(original.hasPrefix(kept))
                    #expect(kept.count <= original.count)
                    if kept.count < original.count { #expect(text.last == "…") }
                    // Compared by bytes, since a mark that was lost would go unnoticed otherwise.
                    #expect(Array(kept.utf8) == Array(original.prefix(kept.count).utf8))
                }
                if body.count > 1_000 { #expect(push.size > 3_990, "no room is wasted") }
            }
        }
    }

    @Test("the longest token of FCM takes no room of the text")
    func longToken() async throws {
        let body = String(repeating: "a", count: 3_500)
        let push = try await sent(.message(body), to: PushFixture.fcm(String(repeating: "t", count: 4_096)))
        #expect(push.content["notification"]?["body"]?.text == body)
    }

    // MARK: Sends

    @Test("a service without a key says so")
    func unset() async throws {
        let none = PushSenders()
        for (target, name) in zip(try fixture.targets(), ["APNs", "FCM", "Web Push"]) {
            #expect(
                await none.send(.message(), to: target) == .misconfigured(reason: "no key for \(name) is set"))
        }
        // Each service is given the senders of all.
        let all = fixture.senders
        let (apns, fcm) = (PushSenders(apns: all), PushSenders(fcm: all))
        let (phone, tablet) = (try PushFixture.apns(), try PushFixture.fcm())
        #expect(await apns.send(.message(), to: tablet) == .misconfigured(reason: "no key for FCM is set"))
        #expect(await fcm.send(.message(), to: phone) == .misconfigured(reason: "no key for APNs is set"))
        #expect(fixture.services.requests == 0)
    }

    @Test("sends beyond the limit wait for nothing, and are to be repeated")
    func admission() async throws {
        let held = HeldRequests()
        let fixture = try PushFixture(requests: held, maximumSends: 3)
        let target = try fixture.web()
        await withTaskGroup(of: PushOutcome.self) { group in
            for _ in 0..<3 { group.addTask { await fixture.senders.send(.message(), to: target) } }
            await held.wait(for: 3)
            let outcome = await fixture.senders.send(.message(), to: target)
            #expect(outcome == .retry(after: .seconds(1), reason: "3 pushes are being sent"))
            held.release()
            for await outcome in group { #expect(outcome == .delivered) }
        }
        #expect(await fixture.senders.send(.message(), to: target) == .delivered)
    }

    @Test(
        "an endpoint inside the network gets no request",
        arguments: [
            "http://push.example", "https://127.0.0.1", "https://10.1.2.3", "https://[::1]",
            "https://[::ffff:10.0.0.1]",
            "https://169.254.169.254", "https://[fd00::1]:8443",
        ])
    func inside(origin: String) async throws {
        let target = PushTarget.web(try fixture.services.subscribe(at: origin))
        guard case .refused(let reason) = await fixture.senders.send(.message(), to: target) else {
            Issue.record("a request was sent to \(origin)")
            return
        }
        #expect(!reason.isEmpty)
        #expect(fixture.services.requests == 0)
    }
}
