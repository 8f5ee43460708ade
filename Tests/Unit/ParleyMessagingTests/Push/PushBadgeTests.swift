import ParleyJSON
import ParleyMessaging
import ParleyModel
import ParleyTestSupport
import Testing

/// Random runs of messages and reads whose pushes reach devices late, out of order or not at all.
@Suite("Badges of devices")
struct PushBadgeTests {
    /// The messages and read marks of one user, which are counted again for each push.
    private struct Chat {
        private(set) var heads: [String: Int64] = [:]
        private(set) var marks: [String: Int64] = [:]

        mutating func receive(in thread: String) -> Int64 {
            heads[thread, default: 0] += 1
            return heads[thread, default: 0]
        }

        mutating func read(_ thread: String) {
            marks[thread] = heads[thread]
        }

        func unread(_ thread: String) -> Int {
            (0..<heads[thread, default: 0]).filter { $0 >= marks[thread, default: 0] }.count
        }

        var total: Int { heads.keys.map { unread($0) }.reduce(0, +) }

        func counts(of thread: String) -> PushNotification.Unread {
            .init(thread: unread(thread), total: total)
        }
    }

    /// An app or a page, which follows docs/protocol/push-payloads.md.
    private struct Device {
        private(set) var badge = 0
        /// The threads with a notification that is shown, and its position.
        private(set) var shown: [String: Int64] = [:]
        /// The highest position up to which each thread was read.
        private var cleared: [String: Int64] = [:]
        private var newest: Int64 = .min

        mutating func receive(_ content: JSONTree) throws {
            // FCM has texts instead of numbers.
            let members = content["parley"] ?? content["data"] ?? content
            func number(_ value: JSONTree?) throws -> Int64 {
                try #require(value?.integer ?? value?.text.flatMap { Int64($0) })
            }
            let thread = try #require(members["thread"]?.text)
            let seq = try number(members["seq"])
            let at = try number(members["at_ms"])
            if at >= newest {
                newest = at
                badge = Int(try number(members["unread"]?["total"] ?? members["unread_total"]))
            }
            if members["kind"]?.text == "clear" {
                cleared[thread] = max(seq, cleared[thread, default: 0])
                if shown[thread, default: .max] <= seq { shown[thread] = nil }
            } else if seq > cleared[thread, default: 0], seq > shown[thread, default: 0] {
                shown[thread] = seq
            }
        }
    }

    @Test("show what a naive count says, once the newest push has arrived", arguments: 0..<60 as Range<UInt64>)
    func run(seed: UInt64) async throws {
        var random = SeededGenerator(seed)
        let fixture = try PushFixture()
        let targets = try fixture.targets()
        let target = targets[Int(seed) % targets.count]
        var chat = Chat()
        var now = PushFixture.start
        for _ in 0..<Int.random(in: 1...60, using: &random) {
            let thread = "t\(Int.random(in: 0..<4, using: &random))"
            now += 1
            if Int.random(in: 0..<4, using: &random) == 0 {
                chat.read(thread)
                let mark = chat.marks[thread, default: 0]
                let clear = PushNotification.clear(thread: thread, seq: mark, unread: chat.counts(of: thread), at: now)
                #expect(await fixture.senders.send(clear, to: target) == .delivered)
            } else {
                let seq = chat.receive(in: thread)
                let message = PushNotification.message(
                    thread: thread, seq: seq, unread: chat.counts(of: thread), at: now)
                #expect(await fixture.senders.send(message, to: target) == .delivered)
            }
        }
        #expect(fixture.services.problems == [])
        let pushes = fixture.services.pushes

        // Some are lost, the others come in any order.
        var device = Device()
        let last = try #require(pushes.last)
        var arriving = pushes.dropLast().filter { _ in Int.random(in: 0..<4, using: &random) > 0 } + [last]
        arriving.shuffle(using: &random)
        for push in arriving { try device.receive(push.content) }
        #expect(device.badge == chat.total)

        // With all of them, exactly the threads with unread messages show a notification.
        var complete = Device()
        for push in pushes.shuffled(using: &random) { try complete.receive(push.content) }
        #expect(complete.badge == chat.total)
        #expect(Set(complete.shown.keys) == Set(chat.heads.keys.filter { chat.unread($0) > 0 }))
        #expect(complete.shown.allSatisfy { chat.heads[$0.key] == $0.value })
    }
}
