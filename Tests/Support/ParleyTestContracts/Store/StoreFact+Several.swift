import ParleyModel
import Testing

extension StoreFact {
    /// Several stores on one database, as of several processes.
    static let several: [StoreFact] = [
        StoreFact("a write of one store is visible to another at once") { fixture in
            let other = try await fixture.database.open()
            let ann = try await fixture.user("ann")
            #expect(try await other.users([ann.id]) == [ann.id: ann])
            let room = try await fixture.room("tea", ann)
            let batch = fixture.batch([fixture.message("one", from: ann, in: room)])
            try await fixture.write(batch)
            #expect(try await other.head(of: room)?.position.seq == 1)
            #expect(try await other.write(batch) == [.repeated(seq: 1)])
            #expect(try await other.checkpoint(of: fixture.partition) == batch.checkpoint)
        },
        StoreFact("concurrent joins of a title create one room with one owner") { fixture in
            let stores = [fixture.store, try await fixture.database.open(), try await fixture.database.open()]
            var users: [User] = []
            for number in 0..<60 { users.append(try await fixture.user("user-\(number)")) }
            let joined = try await withThrowingTaskGroup { group in
                for (number, user) in users.enumerated() {
                    // Everybody twice, by different stores.
                    for attempt in 0..<2 {
                        let id = ThreadID(trusted: "r-\(number)-\(attempt)")
                        group.addTask {
                            try await stores[(number + attempt) % stores.count]
                                .join(user, roomTitled: "rush", newID: id, at: 1).value
                        }
                    }
                }
                var joined: [JoinedRoom] = []
                for try await one in group { joined.append(one) }
                return joined
            }
            #expect(Set(joined.map(\.membership.thread)).count == 1)
            #expect(joined.count { $0.isNewMember } == users.count)
            let memberships = try await fixture.store.memberships(of: users.map(\.id))
            #expect(memberships.values.map(\.count) == users.map { _ in 1 })
            #expect(memberships.values.joined().count { $0.role == .owner } == 1)
        },
        StoreFact("of concurrent sign-ups with one name, one succeeds") { fixture in
            let stores = [fixture.store, try await fixture.database.open()]
            let won = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<40 {
                    let user = User(id: UserID(trusted: "u\(number)"), name: "ann")
                    group.addTask {
                        do {
                            try await stores[number % 2].createUser(user, passwordHash: nil)
                            return true
                        } catch {
                            #expect(error as? StoreError == .taken)
                            return false
                        }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(won == 1)
        },
        StoreFact("concurrent writes of several stores lose and duplicate nothing") { fixture in
            let stores = [fixture.store, try await fixture.database.open()]
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            // Two persisters that both hold one partition, which must not happen but must be harmless.
            let batches = (0..<20).map { _ in
                fixture.batch((0..<5).map { fixture.message("\($0)", from: ann, in: room) })
            }
            let outcomes = try await withThrowingTaskGroup { group in
                for store in stores {
                    for batch in batches { group.addTask { try await store.write(batch) } }
                }
                var outcomes: [StoreOutcome] = []
                for try await some in group { outcomes += some }
                return outcomes
            }
            let seqs = (1...100).map { Int64($0) }
            #expect(outcomes.count { if case .stored = $0 { true } else { false } } == 100)
            #expect(outcomes.count { if case .repeated = $0 { true } else { false } } == 100)
            #expect(try await fixture.messages(in: room).map(\.position.seq) == seqs)
            #expect(try await fixture.messages(in: room).map(\.messageCount) == seqs)
            #expect(try await fixture.unread(bob, in: room) == 100)
            #expect(try await fixture.unread(ann, in: room) == 0)
        },
    ]
}
