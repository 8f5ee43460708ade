import ParleyModel
import Testing

extension StoreFact {
    /// Devices that receive push notifications (`DeviceStore`).
    static let devices: [StoreFact] = registrations + endedDevices

    private static let registrations: [StoreFact] = [
        StoreFact("a device keeps its id and date while its user registers it again, with new keys") { fixture in
            let (store, ann) = (fixture.store, try await fixture.user("ann"))
            let first = try await fixture.register("a", of: ann, web("https://push.example/1", "k1"), at: 5)
            #expect(first.outcome == .registered(first.device, isNew: true))
            #expect(first.device.created == 5 && first.device.lastUsed == 5)
            let again = try await fixture.register("b", of: ann, web("https://push.example/1", "k2"), at: 9)
            let expected = PushDevice(
                id: first.device.id, user: ann.id, address: web("https://push.example/1", "k2"),
                digest: first.device.digest, created: 5, lastUsed: 9)
            #expect(again.outcome == .registered(expected, isNew: false))
            // The time rises although the clock does not.
            let third = try await fixture.register("c", of: ann, web("https://push.example/1", "k2"), at: 9)
            #expect(third.device.lastUsed == 10 && third.device.id == first.device.id)
            #expect(try await store.devices(of: ann.id, at: 9) == [third.device])
        },
        StoreFact("devices of all kinds are read as they were registered, the last used first") { fixture in
            let (store, ann) = (fixture.store, try await fixture.user("ann"))
            let addresses: [PushAddress] = [
                .apns(token: "0a", topic: "org.example.chat", environment: .sandbox),
                .apns(token: "0a", topic: "org.example.mail", environment: .production),
                .fcm(token: String(repeating: "t", count: 4096)),
                web("https://push.example/" + String(repeating: "e", count: 2000), "k"),
            ]
            for (index, address) in addresses.enumerated() {
                _ = try await fixture.register("d\(index)", of: ann, address, at: Int64(index))
            }
            #expect(try await store.devices(of: ann.id, at: 9).map(\.address) == addresses.reversed())
            #expect(try await store.devicesToNotify([ann.id], at: 9).map(\.address) == addresses.reversed())
        },
        StoreFact("a device of another user moves, with a new id") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let store = fixture.store
            let first = try await fixture.register("a", of: ann, .fcm(token: "t"), at: 5)
            let moved = try await fixture.register("b", of: bob, .fcm(token: "t"), at: 6)
            #expect(moved.outcome == .registered(moved.device, isNew: true))
            #expect(moved.device.id != first.device.id && moved.device.created == 6)
            #expect(try await store.devices(of: ann.id, at: 9).isEmpty)
            #expect(try await store.devices(of: bob.id, at: 9) == [moved.device])
            #expect(try await !store.deleteDevice(moved.device.id, of: ann.id))
            #expect(try await store.deleteDevice(moved.device.id, of: bob.id))
            #expect(try await !store.deleteDevice(moved.device.id, of: bob.id))
        },
        StoreFact("a user keeps the devices that were used last, and the one that is registered, up to the maximum") {
            fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let store = fixture.store
            _ = try await fixture.register("other", of: bob, .fcm(token: "other"), at: 0)
            for number in 1...PushDevice.mostOfUser + 1 {
                _ = try await fixture.register("d\(number)", of: ann, .fcm(token: "\(number)"), at: Int64(100 + number))
            }
            let tokens = try await store.devices(of: ann.id, at: 9).map(\.address.token)
            #expect(tokens == (2...PushDevice.mostOfUser + 1).reversed().map(String.init))
            // By a clock that is behind.
            let late = try await fixture.register("late", of: ann, .fcm(token: "late"), at: 1)
            let kept = try await store.devices(of: ann.id, at: 9)
            #expect(kept.count == PushDevice.mostOfUser && kept.last == late.device)
            #expect(!kept.contains { $0.address.token == "2" })
            #expect(try await store.devices(of: bob.id, at: 9).count == 1)
        },
        StoreFact("a dead device is removed unless it was registered again meanwhile") { fixture in
            let (store, ann) = (fixture.store, try await fixture.user("ann"))
            let read = try await fixture.register("a", of: ann, .fcm(token: "t"), at: 5).device
            let again = try await fixture.register("b", of: ann, .fcm(token: "t"), at: 5).device
            #expect(try await !store.removeDeadDevice(read))
            #expect(try await store.removeDeadDevice(again))
            #expect(try await !store.removeDeadDevice(again))
            #expect(try await store.devices(of: ann.id, at: 9).isEmpty)
        },
    ]

    private static let endedDevices: [StoreFact] = [
        StoreFact("a device ends with its session, and is not read once the session has expired") { fixture in
            let (store, ann) = (fixture.store, try await fixture.user("ann"))
            // In the year 2600: a store deletes sessions that ended long ago.
            let end: Int64 = 20_000_000_000_000
            for (token, expires) in [("a1", end), ("a2", end + 100), ("a3", end + 200)] as [(String, Int64)] {
                try await store.createSession(AuthSession(tokenHash: TokenHash(token), user: ann, expires: expires))
                _ = try await fixture.register(token, of: ann, .fcm(token: token), .session(TokenHash(token)), at: 5)
            }
            func tokens(_ now: Int64) async throws -> [String] {
                let devices = try await store.devices(of: ann.id, at: now)
                #expect(try await store.devicesToNotify([ann.id], at: now) == devices)
                return devices.map(\.address.token).sorted()
            }
            #expect(try await tokens(end - 1) == ["a1", "a2", "a3"])
            #expect(try await tokens(end) == ["a2", "a3"])
            _ = try await store.revokeSession(TokenHash("a2"))
            #expect(try await tokens(end - 1) == ["a1", "a3"])
            _ = try await store.revokeSessions(of: ann.id, keeping: TokenHash("a1"))
            #expect(try await tokens(end - 1) == ["a1"])
            _ = try await store.setPassword("h", of: ann.id, keeping: TokenHash("a1"))
            #expect(try await tokens(end - 1) == ["a1"])
            _ = try await store.setPassword("i", of: ann.id, keeping: nil)
            #expect(try await tokens(end - 1).isEmpty)
        },
        StoreFact(
            "a device without a session ends with the credentials; one that changed its session follows the new one"
        ) {
            fixture in
            let (store, ann) = (fixture.store, try await fixture.user("ann"))
            let bob = try await fixture.user("bob")
            let session = TokenHash("a1")
            try await store.createSession(AuthSession(tokenHash: session, user: ann, expires: .max))
            _ = try await fixture.register("a", of: ann, .fcm(token: "session"), at: 5)
            _ = try await fixture.register("b", of: ann, .fcm(token: "session"), .session(session), at: 5)
            _ = try await fixture.register("c", of: ann, .fcm(token: "free"), at: 5)
            _ = try await fixture.register("d", of: bob, .fcm(token: "bob"), at: 5)
            _ = try await store.setPassword("h", of: ann.id, keeping: session)
            #expect(try await store.devices(of: ann.id, at: 9).map(\.address.token) == ["session"])
            _ = try await store.revokeAll(of: ann.id)
            #expect(try await store.devices(of: ann.id, at: 9).isEmpty)
            #expect(try await store.devices(of: bob.id, at: 9).count == 1)
        },
        StoreFact("a login that has ended registers nothing") { fixture in
            let (store, ann) = (fixture.store, try await fixture.user("ann"))
            let bob = try await fixture.user("bob")
            try await store.createSession(AuthSession(tokenHash: TokenHash("b1"), user: bob, expires: .max))
            _ = try await store.setPassword("h", of: ann.id, keeping: nil)
            let version = try await store.snapshots(of: [ann.id])[ann.id]?.credentialsVersion ?? 0
            let unknown = User(id: UserID(trusted: "none"), name: "none")
            let refused: [(User, NewDevice.Login)] = [
                (ann, .session(TokenHash("a1"))), (ann, .session(TokenHash("b1"))),
                (ann, .other(credentialsVersion: version - 1)), (unknown, .other(credentialsVersion: nil)),
            ]
            for (user, login) in refused {
                let outcome = try await fixture.register("a", of: user, .fcm(token: "t"), login, at: 5, isRefused: true)
                #expect(outcome.outcome == .loginEnded, "\(user) \(login)")
            }
            #expect(try await store.devices(of: ann.id, at: 9).isEmpty)
            let now = try await fixture.register(
                "a", of: ann, .fcm(token: "t"), .other(credentialsVersion: version), at: 5)
            #expect(try await store.devices(of: ann.id, at: 9) == [now.device])
        },
        StoreFact("nothing is sent to suspended users, and an erasure ends all devices") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let store = fixture.store
            let session = TokenHash("a1")
            try await store.createSession(AuthSession(tokenHash: session, user: ann, expires: .max))
            let one = try await fixture.register("a", of: ann, .fcm(token: "1"), .session(session), at: 5).device
            let two = try await fixture.register("b", of: ann, .fcm(token: "2"), at: 6).device
            let three = try await fixture.register("c", of: bob, .fcm(token: "3"), at: 7).device
            let all = [bob.id, UserID(trusted: "none"), ann.id, ann.id]
            #expect(try await store.devicesToNotify(all, at: 9) == [two, one, three])
            #expect(try await store.devicesToNotify([], at: 9).isEmpty)
            _ = try await store.suspend(ann.id, Suspension(until: 20), by: .command, at: 8)
            #expect(try await store.devicesToNotify(all, at: 19) == [three])
            #expect(try await store.devices(of: ann.id, at: 19) == [two, one])
            #expect(try await store.devicesToNotify(all, at: 20) == [two, one, three])
            _ = try await store.suspend(bob.id, Suspension(), by: .command, at: 8)
            #expect(try await store.devicesToNotify(all, at: .max - 1) == [two, one])
            _ = try await store.eraseUser(ann.id, at: 21)
            #expect(try await store.devices(of: ann.id, at: 9).isEmpty)
            #expect(try await store.devicesToNotify(all, at: 19).isEmpty)
            // The token is free again.
            #expect(try await fixture.register("d", of: bob, .fcm(token: "1"), at: 22).device.user == bob.id)
        },
    ]

    private static func web(_ endpoint: String, _ key: String) -> PushAddress {
        .web(endpoint: endpoint, publicKey: key, secret: "s")
    }
}

extension StoreFixture {
    /// Registers a device under a digest of its identity.
    /// - Parameter isRefused: Whether a login that has ended is expected; the device is then one that was not registered.
    fileprivate func register(
        _ id: String, of user: User, _ address: PushAddress,
        _ login: NewDevice.Login = .other(credentialsVersion: nil), at milliseconds: Int64, isRefused: Bool = false
    ) async throws -> (outcome: DeviceOutcome, device: PushDevice) {
        let new = NewDevice(
            id: DeviceID(trusted: id), user: user.id, address: address,
            digest: TokenHash(FNV1a128.hex(of: address.identity)),
            login: login)
        let outcome = try await store.registerDevice(new, at: milliseconds)
        if case .registered(let device, _) = outcome { return (outcome, device) }
        if !isRefused { Issue.record("not registered: \(id)") }
        return (outcome, new.device(replacing: nil, at: milliseconds))
    }
}
