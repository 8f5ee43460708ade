import ParleyAccounts
import ParleyMessaging
import ParleyModel
import ParleyTestContracts
import Testing

/// Devices and settings through the use cases.
@Suite struct NotificationTests {
    private static func identity(_ user: User, _ credential: Identity.Credential, version: Int64? = nil) -> Caller {
        Caller(Identity(user: user, credential: credential, credentialsVersion: version))
    }

    @Test("a device hangs on a session of Parley's own, and on the credentials version otherwise")
    func logins() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, messaging) = (try await fixture.user("ann"), fixture.messaging())
            let (own, foreign) = (TokenHash("a1"), TokenHash("\(TokenHash.foreignPrefix)b1"))
            try await fixture.store.createSession(AuthSession(tokenHash: own, user: ann, expires: .max))
            let callers: [(String, Caller)] = [
                ("own", Self.identity(ann, .session(own, expires: nil))),
                ("foreign", Self.identity(ann, .session(foreign, expires: nil), version: 0)),
                ("jwt", Self.identity(ann, .jwt(expires: nil), version: 0)),
                ("key", Self.identity(ann, .apiKey(name: "back", hash: TokenHash("k")))),
            ]
            for (token, caller) in callers {
                #expect(try await messaging.registerDevice(at: .fcm(token: token), by: caller).isNew)
            }
            #expect(try await messaging.devices(of: Caller(ann)).count == 4)
            _ = try await fixture.store.setPassword("h", of: ann.id, keeping: own)
            #expect(try await messaging.devices(of: Caller(ann)).map(\.address.token) == ["own"])
            _ = try await messaging.endOtherSessions(of: Self.identity(ann, .jwt(expires: nil)))
            #expect(try await messaging.devices(of: Caller(ann)).isEmpty)
            // The credentials that were checked have been replaced.
            for (_, caller) in callers.dropLast() {
                await #expect(throws: MessagingError.unauthorized("the login has ended; log in again")) {
                    try await messaging.registerDevice(at: .fcm(token: "late"), by: caller)
                }
            }
        }
    }

    @Test("the digest of a device shows nothing of it, and does not depend on its keys")
    func digests() {
        let address = PushAddress.web(endpoint: "https://push.example/secret", publicKey: "secret", secret: "secret")
        #expect(!address.digest.text.contains("secret") && address.digest.text.count == 64)
        #expect(address.digest == PushAddress.web(endpoint: address.token, publicKey: "", secret: "").digest)
        #expect(address.digest != PushAddress.fcm(token: address.token).digest)
    }

    @Test("settings for a thread need a membership, and end with it")
    func threads() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let messaging = fixture.messaging()
            let room = try await messaging.join(roomTitled: "Tea", by: Caller(ann)).membership.thread.id
            let update = ThreadNotificationUpdate(level: .set(.all))
            await #expect(throws: MessagingError.notAMember) {
                try await messaging.setThreadNotifications(update, in: room, by: Caller(bob))
            }
            await #expect(throws: MessagingError.notAMember) {
                try await messaging.threadNotifications(in: room, of: Caller(bob))
            }
            let all = ThreadNotifications(level: .all)
            #expect(try await messaging.setThreadNotifications(update, in: room, by: Caller(ann)) == all)
            #expect(try await messaging.threadNotifications(in: room, of: Caller(ann)) == all)
            _ = try await messaging.leave(room, by: Caller(ann))
            #expect(try await messaging.notifications(of: Caller(ann)).threads.isEmpty)
        }
    }
}
