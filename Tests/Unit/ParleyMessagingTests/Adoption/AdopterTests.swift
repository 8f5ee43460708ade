import ParleyAccounts
import ParleyMemory
import ParleyMessaging
import ParleyModel
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Synchronization
import Testing

@Suite("Messages of Django are taken into the log", .timeLimit(.minutes(1)))
struct AdopterTests {
    /// Names of events by their digest.
    private final class Names: AdoptedNames {
        let failures = Mutex(0)

        func clientID(
            of send: ForeignSend, in thread: ThreadID, rememberedFor milliseconds: Int64
        ) async throws(SharedStoreError) -> String {
            let fails = failures.withLock { failures in
                failures -= 1
                return failures >= 0
            }
            if fails { throw .unavailable("away") }
            return "\(send.digest)\(send.sentMicroseconds ?? 0)"
        }
    }

    /// A log that refuses the first appends.
    private final class RefusingLog: MessageLog {
        private let log: any MessageLog
        private let failures: Mutex<Int>

        init(_ log: any MessageLog, failures: Int) {
            self.log = log
            self.failures = Mutex(failures)
        }

        func append(_ draft: EventDraft, completion: @escaping @Sendable (Result<Receipt, AppendError>) -> Void) {
            let fails = failures.withLock { failures in
                failures -= 1
                return failures >= 0
            }
            fails ? completion(.failure(.unavailable("away"))) : log.append(draft, completion: completion)
        }

        func head(of thread: ThreadID) async throws(AppendError) -> ThreadHead? { try await log.head(of: thread) }
        func events(in thread: ThreadID, after: Int64, limit: Int) async throws(AppendError) -> LogSlice {
            try await log.events(in: thread, after: after, limit: limit)
        }
        func redact(_ redaction: LogRedaction, in thread: ThreadID) async throws(AppendError) {}
        func forget(_ thread: ThreadID) async throws(AppendError) {}
    }

    /// Two nodes, and what they have counted and passed on.
    private struct Setup {
        let fixture: MessagingFixture
        let nodes: [Adopter]
        let names: Names
        let outcomes: Recorder<Adopter.Outcome>
        let failed = Recorder<String>()
        let tea = ThreadID(trusted: "tea")
        let users: [User]

        static func run(
            refusals: Int = 0, waiting: Int = 1000, submits: Bool = true,
            _ body: @escaping (Setup) async throws -> Void
        ) async throws {
            var settings = Adopter.Settings()
            settings.pauses = [.zero, .milliseconds(1), .milliseconds(1)]
            settings.waiting = waiting
            try await MessagingFixture.run { [settings] fixture in
                try await body(try await Setup(fixture, refusals, settings, submits: submits))
            }
        }

        private init(
            _ fixture: MessagingFixture, _ refusals: Int, _ settings: Adopter.Settings, submits: Bool
        ) async throws {
            self.fixture = fixture
            let users = [try await fixture.user("ann"), try await fixture.user("bob"), try await fixture.user("eve")]
            self.users = users
            let tea = ThreadID(trusted: "tea")
            try await fixture.store.importRoom("Tea", id: tea, members: [users[0]])
            let reader = ImportRecord.member(thread: tea, user: "id-bob", role: .readOnly)
            _ = try await fixture.store.importRecords([reader], at: 1)
            let (names, recorder, clock) = (Names(), Recorder<Adopter.Outcome>(), fixture.clock)
            self.names = names
            outcomes = recorder
            let log = RefusingLog(fixture.memory, failures: refusals)
            let budgets = BudgetSettings(
                limits: Limits(), rates: nil, uptime: { clock.milliseconds * 1000 },
                submit: { work in
                    if submits { Task { await work() } }
                    return submits
                })
            nodes = (0..<2).map { _ in
                Adopter(
                    fixture.messaging(log: log, budgets: budgets), names: names, settings: settings,
                    count: { recorder.record($0) }, pause: { _ in })
            }
        }

        func send(
            _ text: String, by sender: ForeignSend.Sender = .name("ann"), clientID: String? = nil, sent: Int64? = nil,
            digest: UInt8? = nil
        ) -> ForeignSend {
            let bytes = digest.map { [$0] } ?? Array(text.utf8)
            return ForeignSend(sender: sender, text: text, clientID: clientID, digest: bytes, sentMicroseconds: sent)
        }

        func adopt(_ send: ForeignSend, on node: Int = 0) {
            nodes[node].adopt(.send(send), in: tea) { [failed] in failed.record(send.text) }
        }

        /// Waits for so many outcomes.
        @discardableResult
        func wait(_ count: Int) async throws -> [Adopter.Outcome] { try await outcomes.wait(count: count) }

        func texts() async throws -> [String] {
            try await fixture.memory.events(in: tea, after: 0, limit: 10_000).events.compactMap { $0.message?.text }
        }
    }

    @Test("an adopted message has the display name of its sender, which is at most two seconds old")
    func displayName() async throws {
        try await Setup.run { setup in
            let ann = setup.users[0]
            for (index, name) in [nil, "Ann", "Anna"].enumerated() {
                _ = try await setup.fixture.store.setProfile(Profile(displayName: name), of: ann.id)
                setup.fixture.clock.milliseconds += 2001
                setup.adopt(setup.send("\(index)"))
                try await setup.wait(index + 1)
            }
            let messages = try await setup.fixture.memory.events(in: setup.tea, after: 0, limit: 9).events
            #expect(messages.map { $0.message?.senderDisplayName } == [nil, "Ann", "Anna"])
        }
    }

    @Test("what two nodes hear is in the log once, in order")
    func once() async throws {
        try await Setup.run { setup in
            for number in 0..<200 {
                for node in 0..<2 { setup.adopt(setup.send("\(number)", by: .id(setup.users[0].id)), on: node) }
            }
            let outcomes = try await setup.wait(400)
            #expect(outcomes.count { $0 == .accepted } == 200)
            #expect(outcomes.count { $0 == .repeated } == 200)
            #expect(try await setup.texts() == (0..<200).map(String.init))
            let events = try await setup.fixture.memory.events(in: setup.tea, after: 0, limit: 1).events
            #expect(events.first?.message?.sender == setup.users[0])
            #expect(setup.failed.elements.isEmpty)
        }
    }

    @Test("what cannot be adopted is passed on, and counted by reason")
    func refused() async throws {
        try await Setup.run { setup in
            let sends: [(ForeignSend, AdoptionFailure)] = [
                (setup.send("1", by: .name("nobody")), .unknownSender),
                (setup.send("2", by: .name("eve")), .notAMember),
                (setup.send("3", by: .name("bob")), .forbidden), (setup.send(""), .invalid),
                (setup.send(String(repeating: "x", count: 4097)), .invalid),
            ]
            for (index, (send, failure)) in sends.enumerated() {
                setup.adopt(send)
                let counted = try await setup.wait(index + 1)
                #expect(counted.last == .failed(failure))
            }
            let failed = setup.failed
            setup.nodes[0].adopt(.refused(.logged), in: setup.tea) { failed.record("logged") }
            #expect(setup.outcomes.elements.last == .failed(.logged))
            setup.adopt(setup.send("first", clientID: "c"))
            setup.adopt(setup.send("second", clientID: "c"))
            setup.adopt(setup.send("first", clientID: "c"))
            let last = try await setup.wait(9).suffix(3)
            #expect(Set(last) == [.accepted, .failed(.conflict), .repeated])
            #expect(setup.failed.elements.count == 7)
            #expect(try await setup.texts() == ["first"])
        }
    }

    @Test("equal events are two messages if they say when they were sent, and else after a time")
    func equal() async throws {
        try await Setup.run { setup in
            setup.adopt(setup.send("ok", sent: 1))
            setup.adopt(setup.send("ok", sent: 2))
            let timed = try await setup.wait(2)
            #expect(timed == [.accepted, .accepted])
            setup.adopt(setup.send("ok"))
            setup.adopt(setup.send("ok"))
            let untimed = try await setup.wait(4)
            #expect(Set(untimed.suffix(2)) == [.accepted, .failed(.equal)])
            setup.fixture.clock.advance(milliseconds: 15_000)
            setup.adopt(setup.send("ok"))
            // The names of this test do not change with time.
            let later = try await setup.wait(5)
            #expect(later.last == .repeated)
        }
    }

    @Test("what does not answer is tried again, in order, and then given up")
    func retries() async throws {
        try await Setup.run(refusals: 2) { setup in
            setup.names.failures.withLock { $0 = 1 }
            for number in 0..<3 { setup.adopt(setup.send("\(number)")) }
            let retried = try await setup.wait(3)
            #expect(retried == [.accepted, .accepted, .accepted])
            #expect(try await setup.texts().sorted() == ["0", "1", "2"])
        }
        try await Setup.run(refusals: 100) { setup in
            setup.adopt(setup.send("lost"))
            let givenUp = try await setup.wait(1)
            #expect(givenUp == [.failed(.unavailable)])
            #expect(setup.failed.elements == ["lost"])
        }
    }

    @Test("the number of events that wait is bounded, and refused work leaves nothing behind")
    func bounds() async throws {
        try await Setup.run(waiting: 3) { setup in
            setup.names.failures.withLock { $0 = 1_000_000 }
            for number in 0..<5 { setup.adopt(setup.send("\(number)")) }
            let outcomes = try await setup.wait(5)
            #expect(outcomes.count { $0 == .failed(.overflow) } == 2)
            setup.names.failures.withLock { $0 = 0 }
            setup.adopt(setup.send("again"))
            let next = try await setup.wait(6)
            #expect(next.last == .accepted)
        }
        try await Setup.run(submits: false) { setup in
            for number in 0..<2 { setup.adopt(setup.send("\(number)")) }
            let refused = try await setup.wait(2)
            #expect(refused == [.failed(.overflow), .failed(.overflow)])
        }
    }
}
