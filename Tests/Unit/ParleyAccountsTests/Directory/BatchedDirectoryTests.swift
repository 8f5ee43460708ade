import ParleyAccounts
import ParleyModel
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("The batched directory", .timeLimit(.minutes(2)))
struct BatchedDirectoryTests {
    private func directory(
        _ store: TestStore, _ clock: TestClock, _ change: (inout DirectorySettings) -> Void = { _ in }
    ) -> BatchedDirectory {
        var settings = DirectorySettings()
        change(&settings)
        return BatchedDirectory(
            store, settings: settings, clock: clock.wall, pause: { _ in await Task.yield() })
    }

    private func user(_ index: Int) -> User {
        User(id: UserID(trusted: "u\(index)"), name: "user\(index)")
    }

    /// Makes `count` concurrent lookups; the first query blocks until all the others wait, as with a slow database.
    /// - Returns: the number of correct results.
    private func ask(
        _ directory: BatchedDirectory, _ count: Int, through gate: Gate,
        _ isRight: @escaping @Sendable (_ index: Int) async throws -> Bool
    ) async throws -> Int {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<count {
                group.addTask { try await isRight(index) }
            }
            #expect(try await eventually { directory.waitingCount == count - 1 })
            gate.open()
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    @Test("100 000 concurrent lookups cost two hundred queries, and each gets its own result")
    func storm() async throws {
        let gate = Gate()
        let store = TestStore(gate: gate)
        let directory = directory(store, TestClock())
        let count = 100_000
        store.edit { state in
            for index in 0..<count where index % 2 == 0 { state.users[user(index).id] = user(index) }
        }
        let right = try await ask(directory, count, through: gate) { index in
            try await directory.user(user(index).id) == (index % 2 == 0 ? user(index) : nil)
        }
        #expect(right == count)
        #expect(store.queryCount == 1 + (count - 1 + 499) / 500)
        #expect(store.edit { $0.queries.max() } == 500)
    }

    @Test("a thousand read states take one query per hundred users, and are never cached")
    func readStates() async throws {
        let gate = Gate()
        let store = TestStore(gate: gate)
        let directory = directory(store, TestClock())
        let count = 1000
        let rooms = (0..<count).map { ThreadInfo(id: ThreadID(trusted: "r\($0)"), kind: .room, title: "r\($0)") }
        store.edit { state in
            for index in 0..<count {
                let own = rooms[0..<3] + [rooms[index]]
                state.memberships[user(index).id] = own.map { Membership(thread: $0, role: .member) }
            }
        }
        let right = try await ask(directory, count, through: gate) { index in
            let found = try await directory.readStates(of: user(index).id, limit: 4)
            return found.map(\.thread) == (rooms[0..<3] + [rooms[index]]).map(\.id)
        }
        #expect(right == count)
        #expect(store.queryCount == 1 + (count - 1 + 99) / 100)
        #expect(store.edit { $0.queries.max() } == 100)
        #expect(try await directory.readStates(of: user(1).id, limit: 2).count == 2)
        #expect(try await directory.readStates(of: user(1).id, limit: 4).count == 4)
        #expect(try await directory.readStates(of: UserID(trusted: "nobody"), limit: 4).isEmpty)
        #expect(store.queryCount == 4 + (count - 1 + 99) / 100)
    }

    @Test(
        "results equal the store and are cached for two seconds, except for sessions and memberships")
    func kinds() async throws {
        let store = TestStore()
        let clock = TestClock()
        let directory = directory(store, clock)
        let alice = user(1)
        let room = ThreadInfo(id: ThreadID(trusted: "t1"), kind: .room, title: "lobby")
        let membership = Membership(thread: room, role: .owner)
        let session = AuthSession(tokenHash: SessionTokens.make().hash, user: alice, expires: 7)
        store.edit {
            $0.users[alice.id] = alice
            $0.threads[room.id] = room
            $0.memberships[alice.id] = [membership]
            $0.sessions[session.tokenHash] = session
        }
        for _ in 0..<2 {
            #expect(try await directory.user(alice.id) == alice)
            #expect(try await directory.user(named: "user1") == alice)
            #expect(try await directory.thread(room.id) == room)
            #expect(try await directory.room(titled: "lobby") == room)
            #expect(try await directory.memberships(of: alice.id) == [membership])
            #expect(try await directory.session(session.tokenHash) == session)
        }
        #expect(store.queryCount == 4 + 2 * 2)
        clock.advance(milliseconds: 2000)
        #expect(try await directory.user(alice.id) == alice)
        #expect(store.queryCount == 9)
        directory.invalidate(.changed, of: alice.id)
        #expect(try await directory.user(alice.id) == alice)
        #expect(store.queryCount == 10)
    }

    @Test("an unknown user is not cached")
    func negative() async throws {
        let store = TestStore()
        let directory = directory(store, TestClock())
        #expect(try await directory.user(named: "user1") == nil)
        store.edit { $0.users[user(1).id] = user(1) }
        #expect(try await directory.user(named: "user1") == user(1))
        #expect(try await directory.memberships(of: user(2).id).isEmpty)
    }

    @Test("memberships are read again, even if a query in flight has read the old ones")
    func freshMemberships() async throws {
        let gate = Gate()
        let store = TestStore(gate: gate)
        let directory = directory(store, TestClock())
        let alice = user(1).id
        let room = ThreadInfo(id: ThreadID(trusted: "t1"), kind: .room, title: "lobby")
        let membership = Membership(thread: room, role: .member)
        async let early = directory.memberships(of: alice)
        #expect(try await eventually { gate.waitingCount == 1 })
        store.edit { $0.memberships[alice] = [membership] }
        async let late = directory.memberships(of: alice)
        #expect(try await eventually { directory.waitingCount == 1 })
        gate.open()
        #expect(try await early.isEmpty)
        #expect(try await late == [membership])
    }

    @Test("a revoked session is read again if sessions are cached")
    func revoked() async throws {
        let store = TestStore()
        let directory = directory(store, TestClock()) { $0.sessionMemory = .seconds(2) }
        let session = AuthSession(tokenHash: SessionTokens.make().hash, user: user(1), expires: 7)
        store.edit { $0.sessions[session.tokenHash] = session }
        #expect(try await directory.session(session.tokenHash) == session)
        store.edit { $0.sessions = [:] }
        #expect(try await directory.session(session.tokenHash) == session)
        #expect(try await directory.session(session.tokenHash, fresh: true) == nil)
        directory.invalidate(.sessionRevoked(session.tokenHash), of: user(1).id)
        #expect(try await directory.session(session.tokenHash) == nil)
    }

    @Test("a failed query fails its waiters, and the next one is run")
    func failure() async throws {
        let store = TestStore()
        let directory = directory(store, TestClock())
        store.edit {
            $0.failure = .unavailable("away")
            $0.users[user(1).id] = user(1)
        }
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<50 {
                group.addTask {
                    await #expect(throws: StoreError.unavailable("away")) {
                        try await directory.user(user(index).id)
                    }
                }
            }
        }
        #expect(directory.waitingCount == 0)
        store.edit { $0.failure = nil }
        #expect(try await directory.user(user(1).id) == user(1))
    }

    @Test("lookups above the queue limit are rejected")
    func tooMany() async throws {
        let gate = Gate()
        let directory = directory(TestStore(gate: gate), TestClock()) { $0.maximumWaiting = 10 }
        let refused = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<16 {
                group.addTask {
                    do throws(StoreError) {
                        _ = try await directory.user(user(index).id)
                        return false
                    } catch {
                        return error == .unavailable("too many look-ups are waiting")
                    }
                }
            }
            var refused = 0
            // 1 leads, 10 wait: 5 of the 16 return while the query is blocked.
            while refused < 5, await group.next() == true { refused += 1 }
            gate.open()
            return await group.reduce(refused) { $0 + ($1 ? 1 : 0) }
        }
        #expect(refused == 5)
    }
}
