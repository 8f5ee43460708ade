import ParleyModel
import Testing

extension StoreFact {
    private static let (ann, bob) = (
        User(id: UserID(trusted: "7"), name: "ann"), User(id: UserID(trusted: "8"), name: "bob")
    )
    private static let tea = ThreadInfo(id: ThreadID(trusted: "t.1"), kind: .room, title: "Tea")

    /// Records imported by a back end.
    static let imports: [StoreFact] = [
        StoreFact("imported records exist, and importing them again changes nothing") { fixture in
            let store = fixture.store
            let records: [ImportRecord] = [
                .user(ann, passwordHash: "hash"), .user(bob, passwordHash: nil), .room(id: tea.id, title: "Tea"),
                .member(thread: tea.id, user: "7", role: .owner), .member(thread: tea.id, user: "bob", role: nil),
            ]
            let owner = Membership(thread: tea, role: .owner)
            let member = Membership(thread: tea, role: .member)
            #expect(
                try await store.importRecords(records, at: 5)
                    == [.added, .added, .added, .joined(ann, owner, after: 0), .joined(bob, member, after: 0)])
            for _ in 0..<2 {
                #expect(
                    try await store.importRecords(records, at: 6) == Array(repeating: .unchanged, count: records.count))
            }
            #expect(try await store.users([ann.id, bob.id]) == [ann.id: ann, bob.id: bob])
            #expect(try await store.credentials(named: "ann")?.passwordHash == "hash")
            #expect(try await store.credentials(named: "bob") == Credentials(user: bob, passwordHash: nil))
            #expect(try await store.memberships(of: [ann.id, bob.id]) == [ann.id: [owner], bob.id: [member]])
            #expect(try await store.threads(of: bob.id, after: nil, limit: 2).map(\.activity) == [5])
            // A user who joins by the title finds the imported room.
            let cat = try await fixture.user("cat")
            let joined = try await store.join(cat, roomTitled: "Tea", newID: ThreadID(trusted: "x"), at: 7).value
            #expect(joined.membership == member)
            #expect(try await store.importRecords([], at: 7).isEmpty)
        },
        StoreFact("a refused record gets a reason and does not block others") { fixture in
            let store = fixture.store
            let dan = try await fixture.user("dan")
            let eve = try await fixture.user("eve")
            try await fixture.write(fixture.direct("hi", from: dan, to: eve))
            let direct = ThreadInfo.directID(dan.id, eve.id)
            let nowhere = ThreadID(trusted: "nowhere")
            let cases: [(ImportRecord, ImportOutcome)] = [
                (.user(ann, passwordHash: nil), .added),
                (.user(User(id: ann.id, name: "Ann"), passwordHash: nil), .refused(.idTaken)),
                (.user(User(id: bob.id, name: "ann"), passwordHash: nil), .refused(.nameTaken)),
                (.user(User(id: bob.id, name: "b\0b"), passwordHash: nil), .refused(.unstorable)),
                (.user(bob, passwordHash: "\0"), .refused(.unstorable)),
                // The password of an existing user is unchanged.
                (.user(ann, passwordHash: "new"), .unchanged),
                (.room(id: tea.id, title: "Tea"), .added),
                (.room(id: tea.id, title: "tea"), .refused(.idTaken)),
                (.room(id: nowhere, title: "Tea"), .refused(.nameTaken)),
                (.room(id: direct, title: ""), .refused(.idTaken)),
                (.room(id: nowhere, title: "\0"), .refused(.unstorable)),
                (.member(thread: nowhere, user: "7", role: nil), .refused(.unknownThread)),
                (.member(thread: tea.id, user: "bob", role: nil), .refused(.unknownUser)),
                (.member(thread: tea.id, user: "7\0", role: nil), .refused(.unknownUser)),
                (.member(thread: direct, user: "7", role: nil), .refused(.directThread)),
                (
                    .member(thread: tea.id, user: "7", role: .readOnly),
                    .joined(ann, Membership(thread: tea, role: .readOnly), after: 0)
                ),
                (.member(thread: tea.id, user: "7", role: .owner), .refused(.otherRole)),
                (.member(thread: tea.id, user: "ann", role: .readOnly), .unchanged),
                (.member(thread: tea.id, user: "ann", role: nil), .unchanged),
                // Digits are an id here, whoever has them as a name.
                (.user(User(id: UserID(trusted: "17"), name: "921894"), passwordHash: nil), .added),
                (.member(thread: tea.id, user: "921894", role: nil), .refused(.unknownUser)),
                (
                    .member(thread: tea.id, user: UserReference(id: UserID(trusted: "921894")), role: nil),
                    .refused(.unknownUser)
                ),
                (.member(thread: tea.id, user: "name:7", role: nil), .refused(.unknownUser)),
                (.member(thread: tea.id, user: "id:ann", role: nil), .refused(.unknownUser)),
                (.member(thread: tea.id, user: "id:7", role: nil), .unchanged),
                (
                    .member(thread: tea.id, user: "name:921894", role: nil),
                    .joined(
                        User(id: UserID(trusted: "17"), name: "921894"), Membership(thread: tea, role: .member),
                        after: 0)
                ),
            ]
            let outcomes = try await store.importRecords(cases.map(\.0), at: 5)
            for (outcome, (record, expected)) in zip(outcomes, cases) { #expect(outcome == expected, "\(record)") }
            #expect(outcomes.count == cases.count)
            #expect(try await store.credentials(named: "ann")?.passwordHash == nil)
            #expect(try await store.users([bob.id]).isEmpty)
            #expect(try await store.threads([nowhere]).isEmpty)
        },
        StoreFact("an id takes precedence over an equal name") { fixture in
            let named = User(id: UserID(trusted: "9"), name: "7")
            let outcomes = try await fixture.store.importRecords(
                [
                    .user(named, passwordHash: nil), .user(ann, passwordHash: nil), .room(id: tea.id, title: "Tea"),
                    .member(thread: tea.id, user: "7", role: nil),
                ], at: 1)
            #expect(outcomes.last == .joined(ann, Membership(thread: tea, role: .member), after: 0))
        },
        StoreFact("an imported member has nothing unread, and gets later messages") { fixture in
            let dan = try await fixture.user("dan")
            let room = try await fixture.room("tea", dan)
            try await fixture.write(
                fixture.message("1", from: dan, in: room), fixture.message("2", from: dan, in: room))
            let outcomes = try await fixture.store.importRecords(
                [.user(ann, passwordHash: nil), .member(thread: room, user: "7", role: nil)], at: 1)
            let info = ThreadInfo(id: room, kind: .room, title: "tea")
            #expect(outcomes == [.added, .joined(ann, Membership(thread: info, role: .member), after: 2)])
            #expect(try await fixture.unread(ann, in: room) == 0)
            try await fixture.write(fixture.message("3", from: dan, in: room))
            #expect(try await fixture.unread(ann, in: room) == 1)
            #expect(try await fixture.store.head(of: room)?.position.seq == 3)
        },
        StoreFact("concurrent imports of the same records create each once") { fixture in
            let stores = [fixture.store, try await fixture.database.open(), try await fixture.database.open()]
            let users = (0..<60).map { User(id: UserID(trusted: "u\($0)"), name: "user \($0)") }
            let rooms = (0..<6).map { ThreadID(trusted: "t\($0)") }
            var records: [ImportRecord] = users.map { .user($0, passwordHash: nil) }
            records += rooms.map { .room(id: $0, title: "room \($0)") }
            for (number, user) in users.enumerated() {
                records.append(
                    .member(thread: rooms[number % rooms.count], user: UserReference(id: user.id), role: nil))
            }
            let made = try await withThrowingTaskGroup { group in
                for round in 0..<6 {
                    // Each in an order of its own, as far as users and rooms permit.
                    let own = round % 2 == 0 ? records : records[..<66].reversed() + records[66...].reversed()
                    group.addTask { try await stores[round % stores.count].importRecords(own, at: 1) }
                }
                var made = 0
                for try await outcomes in group {
                    made += outcomes.count { if case .unchanged = $0 { false } else { true } }
                }
                return made
            }
            #expect(made == records.count)
            #expect(
                try await fixture.store.memberships(of: users.map(\.id)).values.map(\.count) == users.map { _ in 1 })
        },
        StoreFact("lists start at the prefix and are in byte order") { fixture in
            let store = fixture.store
            let names = ["an", "ann", "ann-2", "anna", "Ann", "b", "ann\u{10FFFD}", "an%", "añn"]
            for (number, name) in names.enumerated() {
                let user = User(id: UserID(trusted: "u\(number)"), name: name)
                try await store.createUser(user, passwordHash: nil)
                _ = try await store.room(titled: name, newID: ThreadID(trusted: "r\(number)"), at: 1)
            }
            let cases: [(prefix: String, limit: Int, expected: [String])] = [
                ("ann", 10, ["ann", "ann-2", "anna", "ann\u{10FFFD}"]), ("ann", 2, ["ann", "ann-2"]),
                ("an%", 10, ["an%"]), ("anna", 10, ["anna"]), ("c", 10, []), ("ann\0", 10, []),
                ("", 3, ["Ann", "an", "an%"]),
                ("", 0, []), ("añ", 10, ["añn"]),
            ]
            for (prefix, limit, expected) in cases {
                #expect(try await store.users(prefix: prefix, limit: limit).map(\.name) == expected, "\(prefix)")
                #expect(try await store.threads(prefix: prefix, limit: limit).map(\.title) == expected, "\(prefix)")
            }
            // A direct thread has no title.
            let (dan, eve) = (try await fixture.user("dan"), try await fixture.user("eve"))
            try await fixture.write(fixture.direct("hi", from: dan, to: eve))
            #expect(try await store.threads(prefix: "", limit: 100).count == names.count)
        },
        StoreFact("an API key is found by its hash until it is revoked") { fixture in
            let store = fixture.store
            let keys = ["web", "bots", "Web"].map {
                APIKeyRecord(name: $0, hash: TokenHash("hash of \($0)"), created: 5)
            }
            for key in keys { try await store.createAPIKey(key) }
            #expect(try await store.apiKeys(limit: 10).map(\.name) == ["Web", "bots", "web"])
            #expect(try await store.apiKeys(limit: 2).count == 2)
            let other = TokenHash("other")
            #expect(
                try await store.apiKeys([keys[0].hash, other, keys[1].hash]) == [
                    keys[0].hash: keys[0], keys[1].hash: keys[1],
                ])
            #expect(try await store.apiKeys([TokenHash]()).isEmpty)
            for key in [
                APIKeyRecord(name: "web", hash: other, created: 1),
                APIKeyRecord(name: "new", hash: keys[0].hash, created: 1),
            ] {
                await #expect(throws: StoreError.taken) { try await store.createAPIKey(key) }
            }
            #expect(try await store.revokeAPIKey(named: "web"))
            #expect(try await !store.revokeAPIKey(named: "web"))
            #expect(try await !store.revokeAPIKey(named: "we\0b"))
            #expect(try await store.apiKeys([keys[0].hash]).isEmpty)
            #expect(try await store.apiKeys(limit: 10).count == 2)
        },
    ]
}
