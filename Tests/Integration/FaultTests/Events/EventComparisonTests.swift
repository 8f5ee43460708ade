import ParleyTestSupport
import Testing

@Suite("The comparison of arrivals with the history")
struct EventComparisonTests {
    private static func message(_ seq: Int, _ text: String, thread: String = "a") -> EventArrival {
        EventArrival(
            transport: "webhook", process: "1", id: "\(thread):e:\(seq)",
            body: ["type": "Message", "id": .string("m\(seq)"), "seq": .int(seq), "text": .string(text)])
    }

    private static let edit = EventArrival(
        transport: "webhook", process: "1", id: "a:e:3",
        body: ["type": "Edited", "message_id": "m1", "seq": 3, "text": "new"])
    private static let history = [message(1, "new"), message(2, "two"), edit, message(1, "other", thread: "b:c")]
    private static let comparison = EventComparison(history: history)

    @Test("repetitions, threads in any order, and earlier states of an edited message are right")
    func sound() {
        let history = Self.history
        let arrivals = [history[3], Self.message(1, "old"), history[1], history[0], history[1], history[2], history[3]]
        #expect(Self.comparison.violations(in: arrivals) == [])
        #expect(Self.comparison.count == 4)
    }

    @Test("a missing, an unknown, a changed, an exchanged and a late event are each found")
    func faults() {
        let history = Self.history
        for arrivals in [
            Array(history.dropLast()), Array(history.dropFirst()), history + [Self.message(4, "four")],
            history + [Self.message(2, "2")], [history[0], history[2], history[1], history[3]], [],
            [history[0], Self.message(2, "1"), history[2], history[3]],
        ] {
            #expect(!Self.comparison.violations(in: arrivals).isEmpty, "\(arrivals)")
        }
    }
}
