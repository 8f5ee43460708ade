import Crypto
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel
import Testing

@Suite("Tokens for push services")
struct PushTokenTests {
    private let fixture: PushFixture

    init() throws {
        fixture = try PushFixture()
    }

    private func send(_ count: Int = 1, to target: PushTarget) async {
        for _ in 0..<count {
            #expect(await fixture.senders.send(.message(), to: target) == .delivered)
        }
        #expect(fixture.services.problems == [])
    }

    @Test("one token for APNs serves both environments for 40 minutes")
    func apns() async throws {
        await send(20, to: try PushFixture.apns())
        await send(20, to: try PushFixture.apns(.sandbox))
        fixture.pass(.seconds(2_399))
        await send(to: try PushFixture.apns())
        #expect(fixture.services.tokens.count == 1)
        fixture.pass(.seconds(1))
        await send(to: try PushFixture.apns())
        #expect(fixture.services.tokens.count == 2)
    }

    @Test("concurrent sends share one token, and one request for it")
    func concurrent() async throws {
        let (apns, fcm) = (try PushFixture.apns(), try PushFixture.fcm())
        let senders = fixture.senders
        await withTaskGroup(of: PushOutcome.self) { group in
            for index in 0..<60 {
                group.addTask { await senders.send(.message(), to: index.isMultiple(of: 2) ? apns : fcm) }
            }
            for await outcome in group { #expect(outcome == .delivered) }
        }
        #expect(fixture.services.problems == [])
        #expect(fixture.services.tokens.count == 1)
        #expect(fixture.services.assertions == 1)
    }

    @Test("an access token for FCM is renewed five minutes before its end")
    func fcm() async throws {
        await send(10, to: try PushFixture.fcm())
        fixture.pass(.seconds(3_299))
        await send(to: try PushFixture.fcm())
        #expect(fixture.services.assertions == 1)
        fixture.pass(.seconds(1))
        await send(to: try PushFixture.fcm())
        #expect(fixture.services.assertions == 2)
    }

    @Test("each push service has its own token, for eleven hours, and 64 of them are kept")
    func vapid() async throws {
        let first = try fixture.services.subscribe(at: "https://a.example")
        let other = try fixture.services.subscribe(at: "https://b.example:8443")
        await send(5, to: .web(first))
        // The stand-in expects the audience without a port.
        _ = await fixture.senders.send(.message(), to: .web(other))
        #expect(
            fixture.services.problems == [
                "/web/1: Refused(reason: \"aud https://b.example:8443 at https://b.example\")"
            ])
        #expect(fixture.services.tokens.count == 1)
        fixture.pass(.seconds(39_599))
        #expect(await fixture.senders.send(.message(), to: .web(first)) == .delivered)
        #expect(fixture.services.tokens.count == 1)
        fixture.pass(.seconds(1))
        #expect(await fixture.senders.send(.message(), to: .web(first)) == .delivered)
        #expect(fixture.services.tokens.count == 2)
        for index in 0..<100 {
            fixture.pass(.seconds(1))
            let target = PushTarget.web(try fixture.services.subscribe(at: "https://s\(index).example"))
            #expect(await fixture.senders.send(.message(), to: target) == .delivered)
            #expect(await fixture.senders.send(.message(), to: target) == .delivered)
        }
        #expect(fixture.services.tokens.count == 102)
        #expect(await fixture.senders.send(.message(), to: .web(first)) == .delivered)
        #expect(fixture.services.tokens.count == 103, "the first token had to make room")
    }

    @Test("a clock that was set back makes a new token")
    func setBack() async throws {
        await send(to: try PushFixture.apns())
        fixture.pass(.seconds(-1))
        await send(to: try PushFixture.apns())
        #expect(fixture.services.tokens.count == 2)
    }

    @Test("a token that APNs calls expired is replaced, but not within 20 minutes")
    func expired() async throws {
        let expired = PushAnswer(status: 403, body: Array(#"{"reason":"ExpiredProviderToken"}"#.utf8))
        await send(to: try PushFixture.apns())
        fixture.services.plan(expired)
        let early = await fixture.senders.send(.message(), to: try PushFixture.apns())
        #expect(early == .misconfigured(reason: "403 ExpiredProviderToken"))
        await send(to: try PushFixture.apns())
        #expect(fixture.services.tokens.count == 1)
        fixture.pass(.seconds(1_200))
        fixture.services.plan(expired)
        let late = await fixture.senders.send(.message(), to: try PushFixture.apns())
        #expect(late == .retry(after: .zero, reason: "403 ExpiredProviderToken"))
        await send(to: try PushFixture.apns())
        #expect(fixture.services.tokens.count == 2)
    }

    @Test("an access token that Google refuses is replaced")
    func revoked() async throws {
        await send(to: try PushFixture.fcm())
        fixture.services.plan(PushAnswer(status: 401, body: Array(#"{"error":{"status":"UNAUTHENTICATED"}}"#.utf8)))
        let outcome = await fixture.senders.send(.message(), to: try PushFixture.fcm())
        #expect(outcome == .retry(after: .zero, reason: "401 UNAUTHENTICATED"))
        await send(to: try PushFixture.fcm())
        #expect(fixture.services.assertions == 2)
    }

    @Test("the token of RFC 8292 §2.4 is verified by the reader of these tests, which refuses changes")
    func reader() throws {
        let text = """
            eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3Njg\
            sInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErt\
            mysazNjjvW2L9OkSSHzvoD1oA
            """
        let point = "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
        let key = try P256.Signing.PublicKey(x963Representation: try #require(Base64URL.decode(point)))
        let token = try SignedToken(text)
        try token.verify(by: key)
        #expect(token.claims["aud"]?.text == "https://push.example.net")
        #expect(throws: SignedToken.Problem.self) { try token.verify(by: PushKeys.vapid.publicKey) }
    }

    @Test("the key that browsers subscribe for is the public key of the signatures")
    func applicationServerKey() throws {
        let key = try #require(PushKeys.vapidKey)
        let bytes = try #require(Base64URL.decode(key.applicationServerKey))
        #expect(bytes.count == 65)
        #expect(bytes == Array(PushKeys.vapid.publicKey.x963Representation))
    }
}
