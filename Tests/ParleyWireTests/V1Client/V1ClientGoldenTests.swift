import Foundation
import NIOCore
import ParleyJSON
import ParleyModel
import ParleyWire
import Testing

@Suite("The client side of the v1 dialect")
struct V1ClientGoldenTests {
    private let golden: [String: GoldenFrame]

    init() throws {
        golden = try GoldenFrame.all()
    }

    /// Frames that spell out default values, or whose parts have another order of fields.
    private static let otherBytes: Set = ["message-reply", "message-parts", "message-parts-only"]

    @Test("every command is encoded as its golden frame", arguments: GoldenValues.requests.keys.sorted())
    func encodes(name: String) throws {
        let request = try #require(GoldenValues.requests[name])
        let bytes = V1ClientEncoder.encode(request)
        #expect(try V1Decoder().decode(bytes) == request)
        if !Self.otherBytes.contains(name) { #expect(bytes.text == golden[name]?.frame.text) }
    }

    @Test(
        "every server frame survives a round trip", arguments: GoldenValues.frames.keys.sorted())
    func decodes(name: String) throws {
        let bytes = try #require(golden[name]).frame
        guard case .frame(let frame) = try V1ClientDecoder.decode(bytes) else {
            Issue.record("\(name) is not known")
            return
        }
        #expect(V1Encoder.encode(frame)?.text == bytes.text)
    }

    @Test("a frame without one of its fields is an error or another frame, never a crash")
    func lacking() throws {
        for frame in golden.values where frame.direction == .server {
            guard case .members(let members) = try JSONTree(parsing: frame.frame.readableBytesView) else { continue }
            for index in members.indices {
                var fewer = members
                fewer.remove(at: index)
                _ = try? V1ClientDecoder.decode(ByteBuffer(string: JSONTree.members(fewer).canonical))
                fewer.insert(JSONTree.Member(members[index].key, .array([])), at: index)
                _ = try? V1ClientDecoder.decode(ByteBuffer(string: JSONTree.members(fewer).canonical))
            }
        }
    }

    @Test("frames of a later server are ignored, but their position in the log counts")
    func unknown() throws {
        func decode(_ json: String) throws -> V1Received { try V1ClientDecoder.decode(ByteBuffer(string: json)) }
        #expect(try decode(#"{"type":"weather"}"#) == .unknown(type: "weather"))
        #expect(
            try decode(#"{"type":"pinned","thread_id":"t1","epoch":"e","seq":7,"extra":[]}"#)
                == .unknownEvent(ThreadID(trusted: "t1"), Position(epoch: Epoch("e"), seq: 7)))
        let error = #"{"type":"error","code":"tired","message":"later","retryable":true,"more":1}"#
        #expect(try decode(error) == .frame(.error(V1Failure(.unavailable, "later"), ref: nil)))
    }
}
