import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP1
import NIOHTTP2
import ParleyBlobs
import Testing

/// Each of these has stopped a process, or could have: the codecs of NIO and async-http-client take them for what they are not.
@Suite("Responses with an impossible status")
struct StatusGuardTests {
    private func head(_ code: Int) -> HTTPClientResponsePart {
        .head(HTTPResponseHead(version: .http1_1, status: .custom(code: UInt(code), reasonPhrase: "x")))
    }

    private func read(_ parts: [HTTPClientResponsePart]) throws -> Int {
        let channel = EmbeddedChannel(handler: StatusGuard())
        for part in parts { try channel.writeInbound(part) }
        var count = 0
        while try channel.readInbound(as: HTTPClientResponsePart.self) != nil { count += 1 }
        return count
    }

    @Test("final and interim responses pass, one after the other")
    func passes() throws {
        #expect(try read([head(200), .body(ByteBuffer(string: "a")), .end(nil), head(404), .end(nil)]) == 5)
        #expect(try read([head(103), head(100), head(999), .end(nil)]) == 4)
        #expect(try read([head(101), .end(nil)]) == 2)
    }

    @Test("a status below 100, and an end without a final status, are refused", arguments: [0, 99, 100, 150, 199])
    func refused(code: Int) {
        #expect(throws: HTTPParserError.invalidStatus) { try read([head(code), .end(nil)]) }
        #expect(throws: HTTPParserError.invalidStatus) { try read([head(code), .body(ByteBuffer(string: "a"))]) }
        #expect(throws: HTTPParserError.invalidStatus) { try read([head(204), .end(nil), head(code), .end(nil)]) }
    }

    @Test("nothing passes behind what was refused")
    func closed() throws {
        let channel = EmbeddedChannel(handler: StatusGuard())
        #expect(throws: HTTPParserError.invalidStatus) { try channel.writeInbound(head(99)) }
        try channel.writeInbound(HTTPClientResponsePart.end(nil))
        #expect(try channel.readInbound(as: HTTPClientResponsePart.self) == nil)
    }

    private func readStream(_ status: String?) throws -> Bool {
        let channel = EmbeddedChannel(handler: HTTP2StatusGuard())
        let headers = HPACKHeaders(status.map { [(":status", $0)] } ?? [("x", "trailer")])
        try channel.writeInbound(HTTP2Frame.FramePayload.headers(.init(headers: headers, endStream: true)))
        return try channel.readInbound(as: HTTP2Frame.FramePayload.self) != nil
    }

    @Test("a stream of HTTP/2 has a status of three digits", arguments: ["200", "103", "999", nil])
    func status(text: String?) throws {
        #expect(try readStream(text))
    }

    @Test(
        "another status refuses the stream",
        arguments: ["", "-1", "+103", "0150", "099", "99999999999999999999", "2OO"])
    func noStatus(text: String) {
        #expect(throws: HTTPParserError.invalidStatus) { try readStream(text) }
    }
}
