import ParleyMessaging
import ParleyModel
import ParleyPersister
import ParleyStoreModel

/// The endpoint of a back end, which refuses some requests and loses some answers until the end of all faults.
///
/// Confined to the simulator's only thread.
final class SimulatedEndpoint: WebhookRequests, @unchecked Sendable {
    // `@unchecked Sendable`: the simulator has one thread.
    private var generator: SeededGenerator
    private let story: Story
    var isReliable = false
    /// The IDs of events in the order in which they came first.
    private(set) var ids: [String] = []
    private var known: Set<String> = []

    init(seed: UInt64, story: Story) {
        generator = SeededGenerator(seed: seed, purpose: 11)
        self.story = story
    }

    /// The body has the IDs of the events, one in each line.
    static let encode: WebhookEncoder = { events, _ in Array(events.map(\.feedID).joined(separator: "\n").utf8) }

    func post(_ body: [UInt8], _ headers: WebhookHeaders, to url: WebhookURL) async -> WebhookOutcome {
        let pause = Duration.nanoseconds(generator.within(1_000_000...50_000_000))
        do {
            try await Task.sleep(for: pause)
            if !isReliable, generator.once(in: 5) { return .failed("no connection") }
            for id in String(decoding: body, as: UTF8.self).split(separator: "\n").map(String.init) {
                if known.insert(id).inserted { ids.append(id) }
            }
            try await Task.sleep(for: pause)
        } catch {
            return .failed("cancelled")
        }
        guard !isReliable else { return .accepted }
        if generator.once(in: 10) { return .failed("no answer") }
        return generator.once(in: 8) ? .refused(status: 500) : .accepted
    }
}

/// Webhooks, and the check that an endpoint gets each event, each thread in its order.
extension World {
    /// The time for what is left when all faults have ended: a lease of a process that was killed, a pause, and the rest.
    private static let patience: Int64 = 300_000_000_000

    func addWebhook() -> Bool {
        guard endpoint != nil else { return true }
        let batch = [1, 4, 50][Int(plan.seed % 3)]
        let settings = WebhookSettings(
            url: "https://shop.example/", rows: [.audit], batch: batch, secrets: [WebhookKey(.shared).text])
        let webhook = Webhook(
            id: "wh_00000000000000000001", settings: settings, progress: WebhookProgress(place: .start),
            createdMilliseconds: 1)
        return wait { [database] in try await database.addWebhook(webhook) } == true
    }

    /// Compares what the endpoint has got with the stream of stored events.
    func checkWebhook() {
        guard let endpoint else { return }
        guard let stored = wait({ [database] in try await Self.stream(of: database) }) else {
            return observations.violation("the stream of events cannot be read")
        }
        let all = Set(stored)
        var (count, isSubset) = (-1, false)
        let isComplete = scheduler.run(atMost: Self.patience) {
            // Asked after each step.
            if endpoint.ids.count != count {
                count = endpoint.ids.count
                isSubset = all.isSubset(of: endpoint.ids)
            }
            return isSubset
        }
        guard isComplete else {
            let missing = stored.filter { !endpoint.ids.contains($0) }
            return observations.violation(
                "the endpoint has not got \(missing.count) events, the first is \(missing.first ?? "")")
        }
        let expected = Dictionary(grouping: stored, by: Self.thread)
        let received = Dictionary(grouping: endpoint.ids.filter { all.contains($0) }, by: Self.thread)
        for (thread, ids) in expected.sorted(by: { $0.key < $1.key }) where received[thread] != ids {
            observations.violation("the endpoint has got the events of \(thread) in another order")
        }
    }

    /// The thread of an event; an empty text for rows of the audit log, which have an order of their own.
    private static func thread(_ id: String) -> String { FeedPlace(id)?.thread.text ?? "" }

    /// The IDs of all stored events.
    private static func stream(of database: ModelDatabase) async throws -> [String] {
        var (cursor, ids, isEnd) = (EventCursor.start, [String](), false)
        while !isEnd {
            guard let page = try await database.events(after: cursor, EventQuery(rows: [.audit])) else { return ids }
            ids += page.entries.map(\.feedID)
            (cursor, isEnd) = (page.next, page.isEnd)
        }
        return ids
    }
}
