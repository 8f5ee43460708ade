import Foundation
import ParleyWire
import Testing

@Suite struct GoldenFrameTests {
    private let golden: [String: GoldenFrame]

    init() throws {
        golden = try GoldenFrame.all()
    }

    @Test("every file has a value here, and every value a file")
    func complete() {
        let names = { direction in Set(golden.values.filter { $0.direction == direction }.map(\.name)) }
        #expect(names(.client) == Set(GoldenValues.requests.keys))
        #expect(names(.server) == Set(GoldenValues.frames.keys))
    }

    @Test("client frames are decoded to their values", arguments: GoldenValues.requests.keys.sorted())
    func decodes(name: String) throws {
        let frame = try #require(golden[name]).frame
        #expect(try V1Decoder().decode(frame) == GoldenValues.requests[name])
    }

    @Test("server frames are encoded byte for byte", arguments: GoldenValues.frames.keys.sorted())
    func encodes(name: String) throws {
        let frame = try #require(golden[name]).frame
        let value = try #require(GoldenValues.frames[name])
        #expect(V1Encoder.encode(value)?.text == frame.text)
    }

    @Test("every v1 example in docs/protocol/sockets.md is a golden frame")
    func documented() throws {
        let paper = GoldenFrame.folder.appending(path: "../../../docs/protocol/sockets.md").standardized
        let text = try String(contentsOf: paper, encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix("v1 dialect") })
        let frames = Set(golden.values.map(\.frame.text))
        let examples = section.split(separator: "\n").filter { $0.hasPrefix("{") }
        #expect(examples.count > 40)
        for example in examples { #expect(frames.contains(String(example)), "\(example)") }
    }

    @Test("every command has its golden frame")
    func everyCommand() throws {
        for name in V1Decoder.Name.allCases {
            #expect(golden.values.contains { $0.direction == .client && $0.frame.text.hasPrefix("{\"\(name)\":") })
        }
    }
}
