import Foundation
import ParleyBots
import ParleyJSON
import ParleyModel
import ParleyTestSupport
import Testing

@Suite("A frame scan finds the same fields as a parser")
struct FrameScanTests {
    /// The golden frames of the server, by name.
    private static func golden() throws -> [String: JSONTree] {
        let folder = Repository.url("Tests/Fixtures/v1")
        var frames: [String: JSONTree] = [:]
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let tree = try JSONTree(parsing: Data(contentsOf: file))
            if tree["direction"]?.text == "server" { frames[tree["name"]?.text ?? ""] = tree["frame"] }
        }
        return frames
    }

    private func text(_ range: Range<Int>?, _ bytes: [UInt8]) -> String? {
        range.map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    @Test("type, thread, epoch, seq, ref, id and text of every golden frame are found")
    func goldenFrames() throws {
        let golden = try Self.golden()
        #expect(golden.count > 35)
        for (name, frame) in golden {
            // Another order of members must not matter.
            let bytes = Array(frame.canonical.utf8)
            let scan = try #require(bytes.withUnsafeBytes { FrameScan($0) }, "\(name)")
            #expect(text(scan.type, bytes) == frame["type"]?.text, "\(name)")
            #expect(text(scan.thread, bytes) == frame["thread_id"]?.text, "\(name)")
            #expect(text(scan.epoch, bytes) == frame["epoch"]?.text, "\(name)")
            #expect(text(scan.id, bytes) == frame["id"]?.text, "\(name)")
            #expect(scan.seq == frame["seq"]?.integer, "\(name)")
            #expect(scan.ref == frame["ref"]?.integer, "\(name)")
            #expect(scan.isStored == (frame["level"]?.text == "stored"), "\(name)")
            let kinds: [String: FrameScan.Kind] = [
                "message": .message, "ack": .ack, "error": .error, "hello": .hello, "resumed": .resumed,
                "page": .page, "behind": .behind, "bye": .bye, "typing": .other, "read": .other, "presence": .other,
                "pong": .other, "thread": .other, "user": .other, "mute": .other,
                "entrances": .other, "room": .other, "blocks": .other,
            ]
            #expect(scan.kind == kinds[frame["type"]?.text ?? ""] ?? .event, "\(name)")
        }
    }

    @Test("truncated or changed frames never cause access out of bounds")
    func broken() throws {
        for frame in try Self.golden().values {
            let bytes = Array(frame.canonical.utf8)
            for end in bytes.indices {
                #expect(bytes[..<end].withUnsafeBytes { FrameScan($0) } == nil)
                for byte in [UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "}"), 0x30] {
                    var changed = bytes
                    changed[end] = byte
                    _ = changed.withUnsafeBytes { FrameScan($0) }
                }
            }
        }
    }

    @Test("nested members are not taken for the frame's own")
    func nested() throws {
        let json =
            #"{"a":{"seq":1,"thread_id":"no"},"b":["}",{"type":"ack"}],"seq":7,"c":"\",\"seq\":9","type":"message"}"#
        let bytes = Array(json.utf8)
        let scan = try #require(bytes.withUnsafeBytes { FrameScan($0) })
        #expect(scan.seq == 7)
        #expect(scan.thread == nil)
        #expect(scan.kind == .message)
    }

    @Test("a tagged text is read back as written", arguments: [38, 39, 80, 4096])
    func tags(size: Int) throws {
        let tag = MessageTagText(
            tag: MessageTag(bot: 8_000_000, number: 123_456_789), scheduled: 987_654_321_012, node: .max)
        let text = tag.text(size: size)
        #expect(text.utf8.count == size)
        #expect(Array(text.utf8).withUnsafeBytes { MessageTagText($0) } == tag)
        #expect(tag.tag.bot == 8_000_000)
        #expect(tag.tag.number == 123_456_789)
        #expect(Array(text.utf8.dropLast(size - 37)).withUnsafeBytes { MessageTagText($0) } == nil)
        #expect(Array(("x" + text).utf8).withUnsafeBytes { MessageTagText($0) } == nil)
    }
}
