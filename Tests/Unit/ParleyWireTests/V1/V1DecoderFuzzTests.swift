import NIOCore
import ParleyTestSupport
import ParleyWire
import Testing

@Suite struct V1DecoderFuzzTests {
    private static let frames = 100_000

    /// Tokens that occur in frames, so that mutations often stay readable.
    private static let words = [
        "{", "}", "[", "]", ":", ",", "\"", "null", "true", "-1", "0", "1e9", "99999999999999999999", "\"id\"",
        "\"ref\"",
        "\"message\"", "\"text\"", "\"threads\"", "\"seq\"", "\"parts\"", "\\u0000", "\\ud800", "\u{0}", "é",
        "\u{FEFF}",
    ]

    @Test("100,000 mutated frames each give a command or an error with a message")
    func mutations() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("V1DecoderFuzzTests seed \(seed)")
        var random = SeededGenerator(seed)
        let decoder = V1Decoder()
        let golden = try GoldenFrame.all().values.filter { $0.direction == .client }
            .sorted { $0.name < $1.name }.map { $0.frame.array }
        var (commands, violations) = (0, 0)
        for _ in 0..<Self.frames {
            let bytes = Self.mutate(golden, &random)
            do throws(V1CommandError) {
                _ = try decoder.decode(ByteBuffer(bytes: bytes))
                commands += 1
            } catch {
                violations += 1
                guard !error.message.isEmpty, error.message.utf8.count < 400, error.code != .unavailable else {
                    Issue.record("\(error) for \(bytes)")
                    return
                }
            }
        }
        // Mutations that never break a frame, or always do, would prove little.
        #expect(commands > Self.frames / 100)
        #expect(violations > Self.frames / 4)
    }

    @Test("every prefix of every golden frame is an error")
    func prefixes() throws {
        let decoder = V1Decoder()
        for golden in try GoldenFrame.all().values where golden.direction == .client {
            for length in 0..<golden.frame.readableBytes {
                let bytes = golden.frame.array.prefix(length)
                #expect(throws: V1CommandError.self) { try decoder.decode(ByteBuffer(bytes: bytes)) }
            }
        }
    }

    private static func mutate(_ golden: [[UInt8]], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = golden[Int.random(in: golden.indices, using: &random)]
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            let end = min(bytes.count, place + Int.random(in: 0...12, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes.removeSubrange(place..<end)
            case 1: bytes.insert(contentsOf: words[Int.random(in: words.indices, using: &random)].utf8, at: place)
            case 2: bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &random))
            case 3: if place < bytes.count { bytes[place] = UInt8(truncatingIfNeeded: random.next()) }
            default:
                let other = golden[Int.random(in: golden.indices, using: &random)]
                let from = Int.random(in: 0...other.count, using: &random)
                bytes.replaceSubrange(place..<end, with: other[from..<min(other.count, from + 24)])
            }
        }
        return bytes
    }
}
