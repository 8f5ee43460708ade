import NIOCore
import ParleyTestSupport
import ParleyWire
import Testing

@Suite struct CodecFuzzTests {
    static let frames = [
        #"{"message":{"id":"t","text":"a\uD83D\uDC4D"}}"#, #"{"read":"t","x":[null,{"y":-1.5e3}]}"#,
        #"{"toUser":"bob","message":"hi \n","z":[[]]}"#, "SEND t hello",
    ]

    @Test("damaged frames never trap", arguments: [1, 2, 3, 4] as [UInt64])
    func survivesDamage(seed: UInt64) {
        var generator = SeededGenerator(seed)
        for _ in 0..<20_000 {
            var bytes = Array(Self.frames[Int.random(in: 0..<Self.frames.count, using: &generator)].utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: index)
                default: bytes.insert(contentsOf: bytes[..<index], at: index)
                }
            }
            _ = try? ClassicCodec.decode(ByteBuffer(bytes: bytes))
            _ = try? DirectCodec.decode(ByteBuffer(bytes: bytes))
            _ = try? LineCodec.decode(ByteBuffer(bytes: bytes))
        }
    }
}
