import ParleyMemory
import ParleyModel
import ParleyTestContracts
import Testing

@Suite("The window of a thread's log is in order and drops its oldest events")
struct ThreadLogTests {
    @Test("a slice begins at the ends and between", arguments: Int64(0)...9)
    func slice(_ seq: Int64) {
        var log = ThreadLog(stored: nil, epoch: Epoch("e"))
        for number in 1...9 {
            log.accept(log.number(Samples.send("\(number)", in: Samples.thread("t")), now: 0), limit: 6)
        }
        let slice = log.slice(after: seq, limit: 100)
        #expect(slice.events.map(\.position.seq) == Array(max(seq, 3) + 1..<10))
        #expect(slice.isTruncated == (seq < 3))
        #expect(slice.end == 9)
        #expect(log.slice(after: seq, limit: 2).events == Array(slice.events.prefix(2)))
        #expect(log.windowCount == 6)
    }
}
