import ParleyMessaging
import ParleyModel
import Testing

/// Random runs of `WebhookDelivery` with a stream, a store and an endpoint in memory, and processes that are killed.
@Suite("Random runs of a webhook")
struct WebhookRunTests {
    /// A generator with a seed (SplitMix64).
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }

    /// What outlasts a process.
    private struct Stored {
        var place = 0
        /// The index in the stream of the next event of each parked thread.
        var parked: [ThreadID: (place: Int, attempts: WebhookAttempts)] = [:]
    }

    private static let stream = (0..<120).map { index in
        WebhookItem(id: "\(index)", thread: ThreadID(trusted: "chat_\(index * 7 % 5)"))
    }

    @Test("deliver each event, each thread in order", arguments: 0..<200 as Range<UInt64>)
    func run(seed: UInt64) {
        var random = Generator(state: seed)
        var (stored, received, now) = (Stored(), [ThreadID: [Int]](), Int64(0))
        let policy = WebhookPolicy(
            maximumRequests: 3, maximumParked: 2, maximumFailures: Int(seed % 4), batch: 1 + Int(seed % 5))
        var steps = 0
        while stored.place < Self.stream.count || !stored.parked.isEmpty, steps < 20_000 {
            var delivery = WebhookDelivery(policy, parked: stored.parked.mapValues(\.attempts))
            let isLast = steps > 4_000
            let end = steps + (isLast ? 20_000 : Int.random(in: 1...200, using: &random))
            var partEnd = stored.place
            while steps < end, stored.place < Self.stream.count || !stored.parked.isEmpty {
                steps += 1
                Self.read(&delivery, &stored, &partEnd, at: now, using: &random)
                let sent = delivery.next(at: now).compactMap { action -> [WebhookItem]? in
                    guard case .send(let items) = action else { return nil }
                    return items
                }
                if sent.isEmpty { now = max(now + 1, delivery.nextTime ?? 0) }
                for items in sent.shuffled(using: &random) {
                    let isRefused = !isLast && Int.random(in: 0..<3, using: &random) == 0
                    // The endpoint has the events although its answer is lost.
                    if !isRefused || Bool.random(using: &random) {
                        for item in items { received[item.thread, default: []].append(Int(item.id) ?? -1) }
                    }
                    let outcome: WebhookOutcome = isRefused ? .refused(status: 500) : .accepted
                    for action in delivery.finished(items, outcome, at: now, using: &random) {
                        Self.perform(action, &stored)
                    }
                }
            }
        }
        #expect(stored.place == Self.stream.count && stored.parked.isEmpty, "seed \(seed)")
        for thread in Set(Self.stream.map(\.thread)) {
            Self.check(
                received[thread] ?? [], Self.stream.filter { $0.thread == thread }.compactMap { Int($0.id) }, seed)
        }
    }

    private static func read(
        _ delivery: inout WebhookDelivery, _ stored: inout Stored, _ partEnd: inout Int, at now: Int64,
        using random: inout Generator
    ) {
        if delivery.isFinished {
            stored.place = partEnd
            partEnd = min(stream.count, stored.place + Int.random(in: 1...12, using: &random))
            delivery.add(Array(stream[stored.place..<partEnd]))
        }
        for thread in delivery.due(at: now) {
            guard let place = stored.parked[thread]?.place else { continue }
            // Up to the end of the part in memory, which has passed the thread.
            let items = stream[min(place, partEnd)..<partEnd].filter { $0.thread == thread }
            if items.isEmpty {
                delivery.rejoin(thread)
                stored.parked[thread] = nil
            } else {
                delivery.resume(thread, with: Array(items.prefix(5)))
            }
        }
    }

    private static func perform(_ action: WebhookDelivery.Action, _ stored: inout Stored) {
        switch action {
        case .park(let item, let attempts): stored.parked[item.thread] = (Int(item.id) ?? 0, attempts)
        case .advance(let item): stored.parked[item.thread] = ((Int(item.id) ?? 0) + 1, WebhookAttempts())
        case .bury, .disable, .send: Issue.record("unexpected \(action)")
        }
    }

    /// Each first reception is the next event; repetitions may come at any time.
    private static func check(_ received: [Int], _ expected: [Int], _ seed: UInt64) {
        var count = 0
        for index in received where !expected.prefix(count).contains(index) {
            guard count < expected.count, expected[count] == index else {
                Issue.record("seed \(seed): \(index) came too early")
                return
            }
            count += 1
        }
        #expect(count == expected.count, "seed \(seed)")
    }
}
