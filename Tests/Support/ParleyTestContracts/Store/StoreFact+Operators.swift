import ParleyModel
import Testing

extension StoreFact {
    package static let operators: [StoreFact] = [
        StoreFact("an account keeps its origin, and cannot be created again") { fixture in
            let store = fixture.store
            for (number, origin) in AccountOrigin.allCases.enumerated() {
                let made = User(id: UserID(trusted: "c-\(number)"), name: "made-\(number)")
                try await store.createUser(made, passwordHash: nil, origin: origin)
                let imported = User(id: UserID(trusted: "i-\(number)"), name: "imported-\(number)")
                let records = [ImportRecord.user(imported, passwordHash: nil), .user(made, passwordHash: "h")]
                #expect(try await store.importRecords(records, origin: origin, by: nil, at: 5) == [.added, .unchanged])
                #expect(
                    try await store.importRecords(records, origin: .command, by: .command, at: 6) == [
                        .unchanged, .unchanged,
                    ])
                for user in [made, imported] {
                    #expect(
                        try await store.operatorStatus(of: user.id)
                            == OperatorStatus(isGranted: false, origin: origin))
                }
            }
        },
        StoreFact("an account is made operator and revoked, each effective once") { fixture in
            let store = fixture.store
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let ghost = UserID(trusted: "u-ghost")
            #expect(try await store.operators(limit: 9).isEmpty)
            for user in [bob, ann] {
                #expect(try await store.setOperator(true, of: user.id, at: 5).value == true)
                #expect(try await store.setOperator(true, of: user.id, at: 6).value == false)
                #expect(try await store.operatorStatus(of: user.id)?.isGranted == true)
            }
            #expect(try await store.operators(limit: 9) == [ann, bob])
            #expect(try await store.operators(limit: 1) == [ann])
            #expect(try await store.setOperator(false, of: ann.id, at: 7).value == true)
            #expect(try await store.setOperator(false, of: ann.id, at: 8).value == false)
            #expect(try await store.operatorStatus(of: ann.id)?.isGranted == false)
            #expect(try await store.operators(limit: 9) == [bob])
            for isOperator in [true, false] {
                #expect(try await store.setOperator(isOperator, of: ghost, at: 9).value == nil)
            }
            #expect(try await store.operatorStatus(of: ghost) == nil)
        },
        StoreFact("an erased operator loses the right, and a new user of the name does not get it") { fixture in
            let store = fixture.store
            let ann = try await fixture.user("ann")
            _ = try await store.setOperator(true, of: ann.id, at: 5)
            _ = try await store.eraseUser(ann.id, at: 6)
            #expect(try await store.operatorStatus(of: ann.id) == nil)
            #expect(try await store.setOperator(true, of: ann.id, at: 7).value == nil)
            #expect(try await store.operators(limit: 9).isEmpty)
            let other = User(id: UserID(trusted: "u-other"), name: "ann")
            try await store.createUser(other, passwordHash: nil, origin: .jwt)
            #expect(
                try await store.operatorStatus(of: other.id) == OperatorStatus(isGranted: false, origin: .jwt))
        },
        StoreFact("a session is created only with the current credentials") { fixture in
            let store = fixture.store
            let ann = try await fixture.user("ann")
            func session(_ token: String, of user: User, _ version: Int64) async throws -> Bool {
                let session = AuthSession(tokenHash: TokenHash(token), user: user, expires: .max)
                return try await store.createSession(session, credentialsVersion: version)
            }
            #expect(try await session("first", of: ann, 0))
            let ended = try await store.setPassword("h", of: ann.id, keeping: nil).value
            #expect(ended == [TokenHash("first")])
            #expect(try await !session("late", of: ann, 0))
            for version in [0, 2] as [Int64] {
                let refused = try await store.setPassword(
                    "x", and: Profile(displayName: "X"), of: ann.id, keeping: nil, ifVersion: version)
                #expect(refused.value == nil)
            }
            #expect(try await store.profiles(of: [ann.id])[ann.id]?.displayName == nil)
            #expect(try await store.credentials(named: "ann")?.passwordHash == "h")
            #expect(try await session("second", of: ann, 1))
            #expect(try await !session("nobody's", of: User(id: UserID(trusted: "u-ghost"), name: "ghost"), 0))
            let tokens = ["first", "late", "second", "nobody's"].map { TokenHash($0) }
            #expect(try await Set(store.sessions(tokens).keys) == [TokenHash("second")])
            let set = try await store.setPassword(
                "h2", and: Profile(displayName: "Ann"), of: ann.id, keeping: TokenHash("second"), ifVersion: 1)
            #expect(set.value == [])
            #expect(try await store.profiles(of: [ann.id])[ann.id]?.displayName == "Ann")
            #expect(try await store.credentials(named: "ann")?.passwordHash == "h2")
            _ = try await store.eraseUser(ann.id, at: 5)
            #expect(try await !session("erased", of: ann, 2))
            let erased = try await store.setPassword("x", and: nil, of: ann.id, keeping: nil, ifVersion: nil)
            #expect(erased.value == nil)
        },
        StoreFact("a login concurrent with a password change leaves no old session") { fixture in
            let store = fixture.store
            let ann = try await fixture.user("ann")
            for round in 0..<20 {
                let version = try await store.snapshots(of: [ann.id])[ann.id]?.credentialsVersion ?? 0
                let tokens = (0..<4).map { TokenHash("\(round)-\($0)") }
                try await withThrowingTaskGroup { group in
                    for token in tokens {
                        let session = AuthSession(tokenHash: token, user: ann, expires: .max)
                        group.addTask { _ = try await store.createSession(session, credentialsVersion: version) }
                    }
                    group.addTask { _ = try await store.setPassword("h\(round)", of: ann.id, keeping: nil) }
                    try await group.waitForAll()
                }
                #expect(try await store.sessions(tokens).isEmpty, "round \(round)")
            }
        },
    ]
}
