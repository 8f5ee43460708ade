import NIOCore
import NIOEmbedded
import NIOHTTP1
import ParleyBlobs
import Testing

@Suite("Reading the response of a storage")
struct ResponseHandlerTests {
    private let channel = EmbeddedChannel()
    private let handler: ResponseHandler

    init() throws {
        handler = ResponseHandler(channel.embeddedEventLoop)
        try channel.pipeline.syncOperations.addHandler(handler)
    }

    @Test("what has arrived is read also after the storage has closed the connection")
    func closed() throws {
        let parts: [HTTPClientResponsePart] = [
            .head(HTTPResponseHead(version: .http1_1, status: .ok)), .body(ByteBuffer(string: "a")),
            .body(ByteBuffer(string: "b")), .end(nil),
        ]
        for part in parts { try channel.writeInbound(part) }
        channel.pipeline.fireChannelInactive()
        for part in parts { #expect(try handler.next().wait() == part) }
        #expect(try handler.next().wait() == nil)
    }

    @Test("whoever waits is told of the end")
    func ends() throws {
        let end = handler.next()
        channel.pipeline.fireChannelInactive()
        #expect(try end.wait() == nil)
    }

    @Test("whoever waits is told of an error")
    func fails() throws {
        struct Broken: Error {}
        let next = handler.next()
        channel.pipeline.fireErrorCaught(Broken())
        #expect(throws: Broken.self) { try next.wait() }
    }
}
