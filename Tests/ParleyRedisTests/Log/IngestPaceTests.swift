import ParleyRedis
import Testing

@Suite("The polling interval of an ingest stream")
struct IngestPaceTests {
    @Test("polling is slower after a second without messages")
    func slowsDown() {
        var pace = IngestPace(milliseconds: 10)
        let pauses = (0..<200).map { _ in pace.next() }
        #expect(pauses.prefix(100).allSatisfy { $0 == 10 })
        #expect(pauses.dropFirst(100).allSatisfy { $0 == 40 })
    }
}
