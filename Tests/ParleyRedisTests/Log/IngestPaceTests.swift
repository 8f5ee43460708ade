import ParleyRedis
import Testing

@Suite("The polling interval of an ingest stream")
struct IngestPaceTests {
    @Test("polling is slower after a second without messages, until the next one")
    func slowsDown() {
        var pace = IngestPace(milliseconds: 10)
        var waited: Int64 = 0
        while pace.pause == 10 {
            waited += pace.pause
            _ = pace.ask()
        }
        #expect(waited == 1000)
        #expect(pace.pause == 40)
        for _ in 0..<1000 { _ = pace.ask() }
        #expect(pace.pause == 40)
        pace.found()
        #expect(pace.pause == 10)
    }

    @Test("readers look for themselves now and then, but not while messages arrive")
    func readersLook() {
        var pace = IngestPace(milliseconds: 10)
        var looks = 0
        for _ in 0..<300 where pace.ask() { looks += 1 }
        #expect(looks == 3)
        for _ in 0..<300 {
            let look = pace.ask()
            #expect(!look)
            pace.found()
        }
    }
}
