import ParleyModel
import Testing

@Suite("Cursors that cover each other")
struct EventCursorOrderTests {
    @Test("in every lane")
    func order() {
        let (a, b) = (
            EventCursor([0: .init(stamp: 5)]), EventCursor([0: .init(stamp: 5, count: 2), 1: .init(stamp: 9)])
        )
        #expect(EventCursor.start.isCovered(by: a) && a.isCovered(by: a) && !a.isCovered(by: .start))
        #expect(!a.isCovered(by: b) && !b.isCovered(by: a))
        #expect(EventCursor([0: .init(stamp: 5, count: 1)]).isCovered(by: b))
        #expect(EventCursor([0: .init(stamp: 4)]).isCovered(by: a))
        #expect(EventCursor([0: .init(stamp: 5, count: 1)]).isCovered(by: a))
    }
}
