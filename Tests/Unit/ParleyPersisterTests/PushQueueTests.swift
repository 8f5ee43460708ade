import ParleyMessaging
import ParleyModel
import ParleyPersister
import Testing

@Suite("The pushes that wait")
struct PushQueueTests {
    private func push(_ thread: String, seq: Int64 = 1, to device: String, of user: String) -> PushQueue.Push {
        let address = PushAddress.fcm(token: device)
        let device = PushDevice(
            id: DeviceID(trusted: device), user: UserID(trusted: user), address: address, digest: address.digest,
            created: 1, lastUsed: 1)
        let notification = PushNotification(
            .clear, thread: ThreadID(trusted: thread), seq: seq, unread: PushNotification.Unread(thread: 1, total: 1),
            at: 1)
        return PushQueue.Push(notification, to: device)
    }

    private func expectAdded(_ queue: inout PushQueue, _ push: PushQueue.Push, isDropped: Bool = false) {
        let isAdded = queue.add(push)
        #expect(isAdded != isDropped)
    }

    private func expectNone(_ queue: inout PushQueue, at now: Int64) {
        let next = queue.next(at: now)
        #expect(next == nil)
    }

    private func expectNext(
        _ queue: inout PushQueue, at now: Int64, _ expected: String, _ text: (PushQueue.Push) -> String
    ) {
        let next = queue.next(at: now)
        #expect(next.map(text) == expected)
    }

    @Test("a user gets a few at a time, and a device one; others are not held up")
    func bounds() {
        var queue = PushQueue()
        for device in 0..<20 {
            for thread in 0..<3 {
                expectAdded(&queue, push("t\(thread)", to: "a\(device)", of: "ann"))
            }
        }
        expectAdded(&queue, push("t0", to: "b", of: "bob"))
        var begun: [PushQueue.Push] = []
        while let push = queue.next(at: 0) { begun.append(push) }
        #expect(begun.map(\.device.id.text) == ["a0", "a1", "a2", "a3", "b"])
        queue.finished(begun[0], .delivered, at: 0)
        expectNext(&queue, at: 0, "a4") { $0.device.id.text }
        expectNone(&queue, at: 0)
    }

    @Test("no more than the maximum is in progress")
    func maximum() {
        var queue = PushQueue()
        for number in 0..<(PushQueue.maximumInProgress + 1) {
            expectAdded(&queue, push("t", to: "d\(number)", of: "u\(number)"))
        }
        var begun: [PushQueue.Push] = []
        while let push = queue.next(at: 0) { begun.append(push) }
        #expect(begun.count == PushQueue.maximumInProgress)
        queue.finished(begun[7], .gone(since: nil), at: 0)
        let next = queue.next(at: 0)
        #expect(next != nil)
    }

    @Test("a later message of a thread takes the place of the one that waits, and the oldest is dropped")
    func replaced() {
        var queue = PushQueue()
        for number in 0...PushQueue.maximumOfDevice {
            expectAdded(&queue, push("t\(number)", to: "d", of: "ann"))
        }
        expectAdded(&queue, push("t5", seq: 9, to: "d", of: "ann"))
        var sent: [PushNotification] = []
        while let push = queue.next(at: 0) {
            sent.append(push.notification)
            queue.finished(push, .delivered, at: 0)
        }
        #expect(sent.map(\.thread.text) == (1...PushQueue.maximumOfDevice).map { "t\($0)" })
        #expect(sent[4].seq == 9)
    }

    @Test("a pause is that of the device, at most a minute; after three attempts a push is given up")
    func retries() throws {
        var queue = PushQueue()
        expectAdded(&queue, push("t", to: "d", of: "ann"))
        expectAdded(&queue, push("u", to: "d", of: "ann"))
        var now: Int64 = 0
        for attempt in 1...PushQueue.maximumAttempts {
            let next = queue.next(at: now)
            let push = try #require(next)
            #expect(push.notification.thread.text == "t" && push.hasWaited == (attempt > 1))
            queue.finished(push, .retry(after: .seconds(86_400), reason: "429"), at: now)
            expectNone(&queue, at: now + 59_999)
            now += 60_000
        }
        expectNext(&queue, at: now, "u") { $0.notification.thread.text }
    }

    @Test("a push that waits for another attempt gives way to a later one of its thread")
    func overtaken() throws {
        var queue = PushQueue()
        expectAdded(&queue, push("t", seq: 1, to: "d", of: "ann"))
        let begun = queue.next(at: 0)
        let first = try #require(begun)
        expectAdded(&queue, push("t", seq: 2, to: "d", of: "ann"))
        queue.finished(first, .retry(after: nil, reason: "503"), at: 0)
        expectNone(&queue, at: 0)
        let later = queue.next(at: 2_000)
        let second = try #require(later)
        #expect(second.notification.seq == 2 && !second.hasWaited)
        queue.finished(second, .delivered, at: 2_000)
        expectNone(&queue, at: .max)
    }

    @Test("pushes to more devices than may wait are dropped")
    func devices() {
        var queue = PushQueue()
        for number in 0..<PushQueue.maximumDevices {
            expectAdded(&queue, push("t", to: "d\(number)", of: "ann"))
        }
        expectAdded(&queue, push("t", to: "other", of: "bob"), isDropped: true)
        expectAdded(&queue, push("u", to: "d0", of: "ann"))
    }
}
