import ParleyModel
import ParleyTestContracts
import ParleyTestSupport

/// Makes random calls of every port on PostgreSQL and on the model, and compares their replies.
///
/// The log that feeds the stores is faulty: it repeats sends and batches, delivers late, and loses its position.
struct StorePairRun {
    let database: PostgresTestDatabase
    let modelDatabase: ModelTestDatabase
    let pair: StorePair
    private var random: SeededGenerator
    private var names = 0
    var milliseconds: Int64 = 1_700_000_000_000

    // MARK: What there is

    var users: [User] = []
    var threads: [ThreadID] = []
    var tokens: [TokenHash] = []
    var files: [AttachmentID] = []
    var outbox: [OutboxEntry] = []
    /// The links that were made, which may be gone.
    var links: [(link: LinkID, thread: ThreadID)] = []
    /// The marks of the change feed of both.
    var marks: (real: ChangeMark?, model: ChangeMark?) = (nil, nil)

    // MARK: The log

    var heads: [ThreadID: Int64] = [:]
    var epoch = Epoch("e1")
    var sent: [(thread: ThreadID, message: Message)] = []
    var held: [LogEvent] = []
    var batches: [[IngestBatch]] = []

    /// Runs sequences of calls, one after the other on one new database.
    /// - Returns: the number of calls.
    /// - Throws: `StorePair.Difference`.
    static func play(seed: UInt64, sequences: Int) async throws -> Int {
        let database = try await PostgresTestDatabase.make()
        do {
            var run = try await StorePairRun(seed: seed, database: database)
            for _ in 0..<sequences { try await run.playSequence() }
            try await run.compareRejects()
            try await database.remove()
            return run.calls
        } catch {
            try await database.remove()
            throw error
        }
    }

    private var calls = 0

    private init(seed: UInt64, database: PostgresTestDatabase) async throws {
        random = SeededGenerator(seed)
        self.database = database
        modelDatabase = ModelTestDatabase()
        pair = StorePair(real: try await database.open(), model: try await modelDatabase.open())
    }

    private mutating func playSequence() async throws {
        for _ in 0..<2 { try await addUser() }
        for _ in 0..<1 + roll(40) {
            calls += 1
            try await step()
        }
        try await compareRows()
    }

    private mutating func step() async throws {
        switch roll(100) {
        case ..<30: try await write()
        case ..<35: try await replay()
        case ..<43: try await changeMembers()
        case ..<47: try await changeThread()
        case ..<54: try await changeAccount()
        case ..<60: try await readAccounts()
        case ..<66: try await readThreads()
        case ..<79: try await readMessages()
        case ..<85: try await relay()
        case ..<94: try await changeFiles()
        case ..<97: try await compareFeed()
        case 97: try await erase()
        case 98: try await finishCleanups()
        default: forget()
        }
    }

    /// The log loses the ends of its threads and the entries that it has not delivered.
    private mutating func forget() {
        epoch = Epoch("e\(number())")
        held = []
        milliseconds -= Int64(roll(5000))
        for thread in threads { heads[thread] = max(0, heads[thread, default: 0] - Int64(roll(5))) }
    }

    private func compareRows() async throws {
        let counts: [StoreRowCount] = [
            .attachmentUses, .attachments, .namedAttachments, .cleanups, .messages, .texts, .namedMessages, .outbox,
            .reactionEvents, .repeats, .restrictions, .sanctions, .links, .invitations,
            .joinRequests,
            .tracesOfSends(users[0].id),
        ]
        for rows in counts {
            let (one, other) = (try await database.count(rows), try await modelDatabase.count(rows))
            guard one == other else {
                throw StorePair.Difference(description: "\(rows): PostgreSQL has \(one), the model \(other)")
            }
        }
    }

    private func compareRejects() async throws {
        let (one, other) = (try await database.rejects(), try await modelDatabase.rejects())
        guard one == other else {
            let place = zip(one, other).first { $0 != $1 }
            throw StorePair.Difference(
                description: "rejects: \(one.count) and \(other.count); \(place.map { "\($0)" } ?? "")")
        }
    }

    // MARK: Choices

    mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }
    mutating func isOneOf(_ sides: Int) -> Bool { roll(sides) == 0 }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[roll(elements.count)] }

    /// Mostly one of the last, so that many calls concern the same.
    mutating func pickRecent<Element>(_ elements: [Element]) -> Element? {
        guard !elements.isEmpty else { return nil }
        return isOneOf(5) ? pick(elements) : pick(elements.suffix(6))
    }

    mutating func number() -> Int {
        names += 1
        return names
    }

    mutating func user() -> User {
        isOneOf(40) ? User(id: UserID(trusted: "nobody"), name: "nobody") : pickRecent(users) ?? users[0]
    }

    mutating func thread() -> ThreadID {
        isOneOf(40) ? ThreadID(trusted: "nowhere") : pickRecent(threads) ?? ThreadID(trusted: "nowhere")
    }

    /// One of few, so that titles and names meet.
    mutating func title() -> String { "room \(roll(12))" }
    mutating func userName() -> String { pick(["ann", "bob", "tom", "mоdem", "torn", "Ann"]) + "\(roll(6))" }

    mutating func visibility() -> RoomVisibility { isOneOf(2) ? .public : pick(RoomVisibility.allCases) }

    mutating func role() -> Membership.Role? {
        pick([nil, .owner, .moderator, .member, .readOnly])
    }

    /// Refuses some changes.
    mutating func authorization() -> Authorization {
        guard isOneOf(8) else { return { _ in } }
        return { roles in if roles.thread != nil { throw StorePair.Refusal() } }
    }

    mutating func note(_ thread: ThreadID) {
        if !threads.contains(thread) { threads.append(thread) }
    }
}
