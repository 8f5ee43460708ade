import ParleyModel
import Testing

@Suite("Cursors of the stream of events")
struct EventCursorTests {
    @Test("are what their text says, and short")
    func text() throws {
        let cursors = [
            EventCursor.start, EventCursor([0: .init(stamp: 1)]),
            EventCursor([0: .init(stamp: 1_795_255_200_123_456), 15: .init(stamp: 127, count: 300)]),
            EventCursor(
                Dictionary(
                    uniqueKeysWithValues: (0...EventCursor.lastLane).map {
                        ($0, EventCursor.Place(stamp: 1 << 55, count: 1 << 20))
                    })),
        ]
        for cursor in cursors {
            #expect(EventCursor(cursor.text) == cursor)
            #expect(cursor.text.utf8.count <= EventCursor.maximumLength)
        }
        #expect(cursors[0].text == "01")
        #expect(cursors[1].text == "01000100")
    }

    @Test(
        "are no other text",
        arguments: [
            "", "0", "00", "02", "0100", "010001", "01000000", "01120100", "0100010000010000", "01zz", "start", "٠١",
            "0100ffffffffffffffffff0100", String(repeating: "01", count: 257),
        ])
    func refused(text: String) {
        #expect(EventCursor(text) == nil)
    }

    @Test("a batch that was read in part is unread")
    func bounds() {
        let cursor = EventCursor([0: .init(stamp: 7), 1: .init(stamp: 7, count: 2)])
        #expect((0..<3).map { cursor.lowerBound(of: $0) } == [7, 6, 0])
    }
}
