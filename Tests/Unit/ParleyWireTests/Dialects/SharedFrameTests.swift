import NIOCore
import ParleyModel
import ParleyWire
import Testing

@Suite struct SharedFrameTests {
    private let direct = Events.message("hi", recipient: Events.bob, origin: ConnectionID(trusted: "c1"))

    @Test("an event is encoded for the requested encodings only")
    func encodesWhatIsWanted() {
        for wanted in Encoding.all {
            let frame = SharedFrame(direct, for: [wanted])
            for encoding in Encoding.all { #expect((frame.bytes(for: encoding) != nil) == (encoding == wanted)) }
        }
        #expect(SharedFrame(direct, for: .all).origin == ConnectionID(trusted: "c1"))
    }

    @Test("WebSocket dialects get frames, the line dialect lines")
    func wrapsPayloads() throws {
        let frame = SharedFrame(direct, for: .all)
        let payload = try #require(DirectCodec.encode(direct))
        #expect(
            frame.bytes(for: Encoding(dialect: .direct))?.array == [0x81, UInt8(payload.readableBytes)] + payload.array)
        #expect(frame.bytes(for: Encoding(dialect: .line))?.text == "alice:hi\n")
    }

    @Test("a message without a recipient is not shown in the direct dialect, a join in neither tutorial dialect")
    func hidesWhatADialectLacks() {
        let message = SharedFrame(Events.message("hi"), for: .all)
        #expect(message.bytes(for: Encoding(dialect: .direct)) == nil)
        #expect(message.bytes(for: Encoding(dialect: .direct, compressed: true)) == nil)
        #expect(message.bytes(for: Encoding(dialect: .classic)) != nil)
        let joined = SharedFrame(Events.joined(Events.bob), for: .all)
        #expect(Set(Encoding.all.filter { joined.bytes(for: $0) != nil }.map(\.dialect)) == [.line, .v1])
        let event = SharedFrame(EphemeralEvent.guestLeft("eve"), in: ThreadID(trusted: "t1"), for: .all)
        #expect(Encoding.all.filter { event.bytes(for: $0) != nil } == [Encoding(dialect: .line)])
        #expect(event.bytes(for: Encoding(dialect: .line))?.text == "eve:has left\n")
        #expect(event.origin == nil)
    }

    @Test("an event has a position in the log, an ephemeral event has none")
    func knowsPosition() {
        #expect(SharedFrame(direct, for: []).position == direct.position)
        #expect(SharedFrame(EphemeralEvent.typing(Events.bob, isOn: true), in: direct.thread, for: []).position == nil)
        #expect(SharedFrame(ForeignEvent(json: Array("{}".utf8)), for: []).position == nil)
    }

    @Test("v1 encodes events and ephemeral events, and passes foreign events unchanged")
    func showsV1() throws {
        let encoding = Encoding(dialect: .v1)
        let payload = try #require(V1Encoder.encode(.event(direct)))
        #expect(
            SharedFrame(direct, for: .all).bytes(for: encoding)?.array.suffix(payload.readableBytes)
                == payload.array[...])
        let typing = EphemeralEvent.typing(Events.bob, isOn: false)
        let frame = SharedFrame(typing, in: direct.thread, for: .all)
        #expect(Encoding.all.filter { frame.bytes(for: $0) != nil }.allSatisfy { $0.dialect == .v1 })
        #expect(frame.bytes(for: encoding)?.text.contains(#""type":"typing""#) == true)
        let foreign = SharedFrame(ForeignEvent(json: Array(#"{"type":"message"}"#.utf8)), for: .all)
        #expect(foreign.bytes(for: encoding)?.text.hasSuffix(#"{"type":"message"}"#) == true)
    }

    @Test("a long message is compressed for sockets with compression")
    func compresses() throws {
        let event = Events.message(String(repeating: "again and again ", count: 30))
        let frame = SharedFrame(event, for: .all)
        let plain = try #require(frame.bytes(for: Encoding(dialect: .classic)))
        let compressed = try #require(frame.bytes(for: Encoding(dialect: .classic, compressed: true)))
        #expect(plain.array[0] == 0x81)
        #expect(compressed.array[0] == 0xC1)
        #expect(compressed.readableBytes < plain.readableBytes / 2)
    }
}
