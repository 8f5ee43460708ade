import ParleyMemory
import ParleyModel
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("An ingest queue numbers its elements and is taken from at the front")
struct IngestQueueTests {
    @Test("every mix of adding and taking is as with an array", arguments: [UInt64(1), 2, 3])
    func naive(_ seed: UInt64) {
        var generator = SeededGenerator(seed)
        var queue = IngestQueue()
        var model: [(offset: Int64, seq: Int64)] = []
        var lastOffset: Int64 = 0
        for step in 1...5000 {
            // Long runs of adding and of taking, so that the queue also runs empty after more than a thousand elements.
            let adds = (step / 1700).isMultiple(of: 2) ? 90 : 10
            if Int.random(in: 0..<100, using: &generator) < adds {
                queue.append(.init(event: event(Int64(step))))
                lastOffset += 1
                model.append((lastOffset, Int64(step)))
            } else {
                let taken = queue.popFirst(through: .max)
                let expected = model.isEmpty ? nil : model.removeFirst()
                #expect(taken?.offset == expected?.offset, "seed \(seed), step \(step)")
                #expect(taken?.element.event.position.seq == expected?.seq, "seed \(seed), step \(step)")
            }
            #expect(queue.count == model.count)
        }
    }

    private func event(_ seq: Int64) -> LogEvent {
        LogEvent(
            thread: Samples.thread("t"), position: Position(epoch: Epoch("e"), seq: seq), milliseconds: 0,
            messageCount: seq, body: .message(Samples.message("\(seq)")))
    }
}
