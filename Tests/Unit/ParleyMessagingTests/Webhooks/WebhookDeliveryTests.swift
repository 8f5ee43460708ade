import ParleyMessaging
import ParleyModel
import Testing

@Suite("Deliveries to a webhook")
struct WebhookDeliveryTests {
    private static let a = ThreadID(trusted: "chat_a")
    private static let b = ThreadID(trusted: "chat_b")

    private static func item(_ thread: ThreadID, _ seq: Int) -> WebhookItem {
        WebhookItem(id: "\(thread.text):\(seq)", thread: thread)
    }

    private var random = SystemRandomNumberGenerator()

    private mutating func finish(
        _ delivery: inout WebhookDelivery, _ item: WebhookItem, _ outcome: WebhookOutcome, at now: Int64 = 0
    ) -> [WebhookDelivery.Action] {
        delivery.finished([item], outcome, at: now, using: &random)
    }

    @Test("send one event of a thread at a time, and several threads at once")
    mutating func order() {
        var delivery = WebhookDelivery(WebhookPolicy(maximumRequests: 2))
        let (a1, a2, b1) = (Self.item(Self.a, 1), Self.item(Self.a, 2), Self.item(Self.b, 1))
        delivery.add([a1, a2, b1])
        #expect(delivery.next(at: 0) == [.send([a1]), .send([b1])])
        #expect(delivery.next(at: 0).isEmpty && delivery.nextTime == nil)
        #expect(finish(&delivery, b1, .accepted).isEmpty)
        #expect(delivery.next(at: 0).isEmpty)
        #expect(finish(&delivery, a1, .accepted).isEmpty)
        #expect(!delivery.isFinished)
        #expect(delivery.next(at: 0) == [.send([a2])])
        #expect(finish(&delivery, a2, .accepted).isEmpty && delivery.isFinished)
        #expect(finish(&delivery, a2, .accepted).isEmpty)
    }

    @Test("park a thread that is refused, pass it in later parts, and read it again from its place")
    mutating func parking() throws {
        var delivery = WebhookDelivery(WebhookPolicy())
        let (a1, a2, b1) = (Self.item(Self.a, 1), Self.item(Self.a, 2), Self.item(Self.b, 1))
        delivery.add([a1, a2, b1])
        _ = delivery.next(at: 0)
        guard case .park(a1, let attempts)? = finish(&delivery, a1, .refused(status: 500)).first else {
            Issue.record("the thread is not parked")
            return
        }
        #expect(attempts.count == 1 && (1_000...2_000).contains(attempts.next))
        #expect(finish(&delivery, b1, .accepted).isEmpty && delivery.isFinished)
        delivery.add([Self.item(Self.a, 3)])
        #expect(delivery.isFinished && delivery.next(at: 9_999).isEmpty)
        #expect(delivery.due(at: attempts.next - 1).isEmpty && delivery.nextTime == attempts.next)
        #expect(delivery.due(at: attempts.next) == [Self.a])
        delivery.resume(Self.a, with: [a1, a2])
        #expect(delivery.due(at: attempts.next).isEmpty)
        #expect(delivery.next(at: attempts.next) == [.send([a1])])
        #expect(finish(&delivery, a1, .accepted) == [.advance(a1)])
        #expect(delivery.next(at: attempts.next) == [.send([a2])])
        #expect(finish(&delivery, a2, .accepted) == [.advance(a2)])
        #expect(delivery.due(at: attempts.next) == [Self.a])
        delivery.rejoin(Self.a)
        #expect(delivery.parkedCount == 0)
        delivery.add([Self.item(Self.a, 3)])
        #expect(delivery.next(at: attempts.next) == [.send([Self.item(Self.a, 3)])])
    }

    @Test("bury an event after the time, and go on with the thread")
    mutating func burying() {
        let (a1, a2) = (Self.item(Self.a, 1), Self.item(Self.a, 2))
        let policy = WebhookPolicy(patience: .seconds(60))
        var delivery = WebhookDelivery(
            policy, parked: [Self.a: WebhookAttempts(count: 9, firstFailure: 0, next: 50_000)])
        delivery.resume(Self.a, with: [a1, a2])
        #expect(delivery.next(at: 49_999).isEmpty)
        #expect(delivery.next(at: 50_000) == [.send([a1])])
        let actions = finish(&delivery, a1, .failed("no connection"), at: 50_000)
        guard case .bury(a1, let attempts)? = actions.first else {
            Issue.record("the event is not buried: \(actions)")
            return
        }
        #expect(attempts.count == 10 && actions.dropFirst() == [.advance(a1)])
        #expect(delivery.next(at: 50_000) == [.send([a2])])
    }

    @Test("stop as a whole when too many threads wait, with one request to try again")
    mutating func pausing() {
        var delivery = WebhookDelivery(WebhookPolicy(maximumParked: 1))
        let threads = (0..<4).map { ThreadID(trusted: "chat_\($0)") }
        let items = threads.map { Self.item($0, 1) }
        delivery.add(items)
        #expect(delivery.next(at: 0).count == 4)
        for item in items { _ = finish(&delivery, item, .refused(status: 502)) }
        #expect(delivery.parkedCount == 1 && !delivery.isFinished)
        let until = delivery.pausedUntil
        #expect((1_000...2_000).contains(until))
        #expect(delivery.next(at: until - 1).isEmpty)
        #expect((delivery.nextTime ?? 0) >= until)
        let sent = delivery.next(at: 2_000)
        #expect(sent.count == 1)
        guard case .send(let items)? = sent.first else { return }
        _ = finish(&delivery, items[0], .accepted, at: 2_000)
        #expect(delivery.pausedUntil == 0 && delivery.next(at: 2_000).count == 2)
    }

    @Test("a request has the next events of several threads, as many as allowed")
    mutating func batches() {
        var delivery = WebhookDelivery(WebhookPolicy(batch: 3))
        let a = (1...4).map { Self.item(Self.a, $0) }
        let b = (1...2).map { Self.item(Self.b, $0) }
        delivery.add([b[0], a[0], a[1], a[2], b[1], a[3]])
        #expect(delivery.next(at: 0) == [.send([b[0], b[1], a[0]])])
        #expect(delivery.next(at: 0).isEmpty)
        #expect(delivery.finished([b[0], a[0]], .accepted, at: 0, using: &random).isEmpty)
        #expect(delivery.finished([b[0], b[1], a[0]], .accepted, at: 0, using: &random).isEmpty)
        #expect(delivery.next(at: 0) == [.send(Array(a[1...3]))])
        #expect(delivery.finished(Array(a[1...3]), .accepted, at: 0, using: &random).isEmpty && delivery.isFinished)
    }

    @Test("a batch that is refused is sent event by event, so that only the thread of the bad one waits")
    mutating func splitting() {
        var delivery = WebhookDelivery(WebhookPolicy(batch: 10))
        let (a1, a2, b1, b2) = (Self.item(Self.a, 1), Self.item(Self.a, 2), Self.item(Self.b, 1), Self.item(Self.b, 2))
        delivery.add([a1, a2, b1, b2])
        #expect(delivery.next(at: 0) == [.send([a1, a2, b1, b2])])
        #expect(delivery.finished([a1, a2, b1, b2], .refused(status: 400), at: 0, using: &random).isEmpty)
        #expect(delivery.next(at: 0) == [.send([a1]), .send([b1])])
        guard case .park(a1, _)? = finish(&delivery, a1, .refused(status: 400)).first else {
            Issue.record("the thread is not parked")
            return
        }
        #expect(finish(&delivery, b1, .accepted).isEmpty)
        #expect(delivery.next(at: 0) == [.send([b2])])
        #expect(finish(&delivery, b2, .accepted).isEmpty && delivery.isFinished)
    }

    @Test("an endpoint that fails again and again stops as a whole, and parks few threads")
    mutating func outage() {
        var delivery = WebhookDelivery(WebhookPolicy(maximumRequests: 20, maximumFailures: 2))
        let items = (0..<20).map { Self.item(ThreadID(trusted: "chat_\($0)"), 1) }
        delivery.add(items)
        #expect(delivery.next(at: 0).count == 20)
        for item in items { _ = finish(&delivery, item, .failed("no connection")) }
        #expect(delivery.parkedCount == 2 && delivery.pausedUntil > 0)
        #expect(delivery.next(at: delivery.pausedUntil - 1).isEmpty)
        var now: Int64 = 2_000
        guard case .send(let probe)? = delivery.next(at: now).first else {
            Issue.record("no request after the pause")
            return
        }
        _ = finish(&delivery, probe[0], .failed("no connection"), at: now)
        #expect(delivery.parkedCount == 2 && delivery.pausedUntil > now)
        now = 1_000_000
        guard case .send(let next)? = delivery.next(at: now).first else {
            Issue.record("no request after the second pause")
            return
        }
        #expect(finish(&delivery, next[0], .accepted, at: now).isEmpty && delivery.pausedUntil == 0)
        #expect(delivery.next(at: now).count == 17)
    }

    @Test("end with 410")
    mutating func gone() {
        var delivery = WebhookDelivery(WebhookPolicy())
        delivery.add([Self.item(Self.a, 1), Self.item(Self.b, 1)])
        _ = delivery.next(at: 0)
        #expect(finish(&delivery, Self.item(Self.a, 1), .gone) == [.disable])
        #expect(delivery.next(at: 1_000_000).isEmpty && delivery.nextTime == nil)
    }

    @Test("wait as long as the endpoint asks, within the bound")
    mutating func asked() {
        var attempts = WebhookAttempts()
        let first = attempts.fail(WebhookOutcome(status: 429, retryAfter: 600), at: 0, WebhookPolicy(), using: &random)
        #expect(first)
        #expect(attempts.next == 600_000)
        let huge = WebhookOutcome(status: 503, retryAfter: 1 << 62)
        let second = attempts.fail(huge, at: 0, WebhookPolicy(), using: &random)
        #expect(second)
        #expect(attempts.next == 3_600_000)
    }

    @Test("grow their pauses to the longest one")
    mutating func pauses() {
        var attempts = WebhookAttempts()
        var last: Int64 = 0
        for count in 0..<40 {
            let now = attempts.next
            _ = attempts.fail(
                .refused(status: 500), at: now, WebhookPolicy(patience: .seconds(1 << 30)), using: &random)
            last = attempts.next - now
            let bound = min(Int64(3_600_000), 2_000 << Int64(min(count, 20)))
            #expect((bound / 2...bound).contains(last))
        }
        #expect(last >= 1_800_000)
    }

    @Test(
        "read a status",
        arguments: [
            (200, WebhookOutcome.accepted), (204, .accepted), (299, .accepted), (301, .refused(status: 301)),
            (410, .gone),
            (429, .later(.seconds(7))), (503, .later(.seconds(7))), (500, .refused(status: 500)),
        ])
    func statuses(status: Int, outcome: WebhookOutcome) {
        #expect(WebhookOutcome(status: status, retryAfter: 7) == outcome)
    }

    @Test("without Retry-After a 503 is a refusal like others")
    func statusWithoutTime() {
        #expect(WebhookOutcome(status: 503, retryAfter: nil) == .refused(status: 503))
    }
}
