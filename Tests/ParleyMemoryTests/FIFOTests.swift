import ParleyMemory
import ParleyTestSupport
import Testing

@Suite("A FIFO behaves like an array")
struct FIFOTests {
    @Test("every mix of appending and removing behaves like an array", arguments: [UInt64(1), 2, 3])
    func naive(_ seed: UInt64) {
        var generator = SeededGenerator(seed)
        var queue = FIFO<Int>()
        var model: [Int] = []
        for step in 0..<5000 {
            // Long runs of appending and removing, so that the storage is shifted and emptied.
            let adds = (step / 400).isMultiple(of: 2) ? 70 : 30
            if Int.random(in: 0..<100, using: &generator) < adds {
                queue.append(step)
                model.append(step)
            } else {
                #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()), "seed \(seed), step \(step)")
            }
            #expect(queue.count == model.count)
            #expect(queue.first == model.first)
            if let last = model.indices.last { #expect(queue[last] == model[last]) }
        }
    }

    @Test("the partition index is found at the ends and in between", arguments: 0...6)
    func partition(_ bound: Int) {
        var queue = FIFO<Int>()
        for number in -3..<6 { queue.append(number) }
        for _ in 0..<3 { queue.popFirst() }
        #expect(queue.partitionIndex { $0 < bound } == bound)
    }
}
