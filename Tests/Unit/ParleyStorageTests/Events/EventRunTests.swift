import ParleyModel
import ParleyStorage
import Testing

@Suite("The places of stored events")
struct EventRunTests {
    private func event(in thread: String, epoch: String = "e1") -> LogEvent {
        LogEvent(
            thread: ThreadID(trusted: thread), position: Position(epoch: Epoch(epoch), seq: 1), milliseconds: 1,
            messageCount: 0, body: .renamed(title: "x", by: UserID(trusted: "u")))
    }

    @Test("consecutive seqs of a thread are one run, others follow in the order of storing")
    func journal() throws {
        var journal = EventJournal()
        #expect(journal.isEmpty)
        for (thread, epoch, seq) in [
            ("a", "e1", 5), ("b", "e1", 1), ("a", "e1", 6), ("a", "e2", 7), ("a", "e2", 3), ("b", "e1", 2),
            ("a", "e2", 4),
        ] {
            journal.add(event(in: thread, epoch: epoch), at: Int64(seq))
        }
        let runs = journal.all
        #expect(EventRun.text(runs) == "5 2 e1 a\n7 1 e2 a\n3 2 e2 a\n1 2 e1 b")
        #expect(try EventRun.all(in: EventRun.text(runs)) == runs)
        #expect(runs.map(\.seqs) == [[5, 6], [7], [3, 4], [1, 2]])
    }

    @Test("a damaged row is an error", arguments: ["1 1 e", "x 1 e t", "0 1 e t", "1 0 e t", "1 -2 e t"])
    func damaged(text: String) {
        #expect(throws: StoreError.self) { try EventRun.all(in: text) }
    }
}
