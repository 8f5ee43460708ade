import Testing

/// One fact of the contract of a store, whatever its database.
///
/// An adapter's tests contain `@Test(arguments: StoreFact.all) func holds(fact: StoreFact) async throws { try await
/// fact.check(on: TheirDatabase.self) }`.
package struct StoreFact: Sendable, CustomTestStringConvertible {
    private let name: String
    private let story: @Sendable (StoreFixture) async throws -> Void

    init(_ name: String, _ story: @escaping @Sendable (StoreFixture) async throws -> Void) {
        self.name = name
        self.story = story
    }

    /// All facts.
    package static let all: [StoreFact] =
        writing + places + rejects + sends + redaction + relayed + pending + marks + directThreads + unread + inbox
        + pages + history + rooms + accounts + nameLooks + lookups + imports + several + changes + members + search
        + erasure
        + threads
        + state + visibility + outbox + feed + operators + attachments + time + restrictions + sanctions + starts
        + entrances
        + events + auditEvents + unseen + eventGroups + webhooks
        + links
        + suspensions + audit + roomDetails + pictures + blocks + devices + notifications

    package var testDescription: String { name }

    /// Checks the fact on a new database.
    package func check<Database: StoreDatabase>(on _: Database.Type) async throws {
        let database = try await Database.make()
        do {
            try await story(StoreFixture(database: database, store: database.open()))
        } catch {
            try await database.remove()
            throw error
        }
        try await database.remove()
    }
}
