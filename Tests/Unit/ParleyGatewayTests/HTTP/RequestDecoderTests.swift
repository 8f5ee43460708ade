import NIOCore
import NIOEmbedded
import NIOHTTP1
import ParleyGateway
import Testing

/// What the decoder passes on for bytes that arrive in any portions.
@Suite("Requests behind offers of other protocols")
struct RequestDecoderTests {
    /// The requests as text: `METHOD target body`.
    private func requests(_ portions: [[UInt8]]) throws -> [String] {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(RequestDecoder()))
        for portion in portions { try channel.writeInbound(ByteBuffer(bytes: portion)) }
        var requests: [String] = []
        var text = ""
        while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
            switch part {
            case .head(let head): text = "\(head.method) \(head.uri) "
            case .body(let bytes): text += String(buffer: bytes)
            case .end: requests.append(text)
            }
        }
        _ = try channel.finish(acceptAlreadyClosed: true)
        return requests
    }

    private static let bodies = [
        "": "\r\n", "abc": "Content-Length: 3\r\n\r\nabc",
        "abcdef": "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n",
    ]

    @Test(
        "every request is read, wherever the bytes are cut",
        arguments: [
            "", "Upgrade: x\r\n", "Upgrade: h2c\r\nConnection: Upgrade\r\n", "Connection: Upgrade\r\n",
            "UPGRADE: a\r\nupgrade: b\r\nConnection: keep-alive, upgrade\r\n",
            "Connection: keep-alive\r\nConnection: Upgrade\r\nUpgrade: \r\n",
            "Upgrade: h2c\r\nConnection: \t upgrade , x\r\n", "Upgrade: h2c\r\nConnection: upgradex, x upgrade\r\n",
            "Upgrade: h2c\r\nProxy-Connection: upgrade\r\n", "Upgrade: h2c\r\nConnection: close, upgrade\r\n",
        ])
    func everyCut(fields: String) throws {
        for (body, rest) in Self.bodies {
            let first = "POST /a HTTP/1.1\r\nHost: x\r\n\(fields)\(rest)"
            let bytes = Array((first + first + "GET /b HTTP/1.1\r\nHost: x\r\n\r\n").utf8)
            let wanted = ["POST /a \(body)", "POST /a \(body)", "GET /b "]
            for cut in 0...bytes.count {
                #expect(try requests([Array(bytes[..<cut]), Array(bytes[cut...])]) == wanted, "cut at \(cut)")
            }
            #expect(try requests(bytes.map { [$0] }) == wanted)
        }
    }

    @Test("what follows CONNECT is read as a request")
    func connect() throws {
        let bytes = Array("CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
        for cut in 0...bytes.count {
            #expect(
                try requests([Array(bytes[..<cut]), Array(bytes[cut...])]) == ["CONNECT x:1 ", "GET /b "],
                "cut at \(cut)")
        }
    }
}
