import NIOCore
import ParleyTestSupport
import ParleyWire
import Testing

@Suite struct WebSocketFrameTests {
    @Test("text frames use the shortest length form", arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 70_000])
    func framesText(count: Int) {
        let payload = [UInt8](repeating: UInt8(ascii: "a"), count: count)
        let head: [UInt8] =
            switch count {
            case ...125: [0x81, UInt8(count)]
            case ...65_535: [0x81, 126, UInt8(count >> 8), UInt8(count & 0xFF)]
            default: [0x81, 127, 0, 0, 0, 0, 0, UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
            }
        #expect(WebSocketFrame.text(ByteBuffer(bytes: payload), compressed: false).array == head + payload)
    }

    @Test("control frames equal the examples of RFC 6455")
    func framesControl() {
        #expect(WebSocketFrame.ping().array == [0x89, 0])
        #expect(WebSocketFrame.pong(ByteBuffer(string: "Hello")).array == hex("8A 05 48 65 6C 6C 6F"))
        #expect(WebSocketFrame.close().array == [0x88, 0])
        #expect(WebSocketFrame.close(code: 1001, reason: "").array == [0x88, 2, 0x03, 0xE9])
        #expect(WebSocketFrame.close(code: 4000, reason: "no").array == [0x88, 4, 0x0F, 0xA0] + Array("no".utf8))
    }

    @Test("control frames never have more than 125 bytes, and a reason is truncated between scalars")
    func boundsControl() {
        let long = ByteBuffer(repeating: 7, count: 126)
        #expect(WebSocketFrame.pong(long).array == [0x8A, 125] + [UInt8](repeating: 7, count: 125))
        let frame = WebSocketFrame.close(code: 1000, reason: String(repeating: "€", count: 50)).array
        #expect(frame[1] == 2 + 123)
        let odd = WebSocketFrame.close(code: 1000, reason: "x" + String(repeating: "€", count: 50)).array
        #expect(odd[1] == 2 + 1 + 120)
        #expect(String(validating: odd[4...], as: UTF8.self) == "x" + String(repeating: "€", count: 40))
    }

    @Test("a compressed frame has RSV1 set, an incompressible or short one is sent uncompressed")
    func compressesWhatIsWorthIt() {
        var generator = SeededGenerator(5)
        let noise = ByteBuffer(bytes: generator.bytes(1000))
        #expect(WebSocketFrame.text(noise, compressed: true).array[0] == 0x81)
        let edge = PerMessageDeflate.minimumBytes
        #expect(WebSocketFrame.text(ByteBuffer(repeating: 97, count: edge - 1), compressed: true).array[0] == 0x81)
        #expect(WebSocketFrame.text(ByteBuffer(repeating: 97, count: edge), compressed: true).array[0] == 0xC1)
    }
}
