import NIOCore
import NIOEmbedded
import NIOHTTP1
import ParleyBlobs
import ParleyModel
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

    @Test("a storage that sends little by little, and never ends, is given up")
    func drips() throws {
        let channel = EmbeddedChannel()
        let handler = ResponseHandler(channel.embeddedEventLoop, within: .minutes(10))
        try channel.pipeline.syncOperations.addHandler(handler)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try channel.writeInbound(HTTPClientResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)))
        for _ in 0..<9 {
            channel.embeddedEventLoop.advanceTime(by: .minutes(1))
            try channel.writeInbound(HTTPClientResponsePart.body(ByteBuffer(string: "a")))
        }
        for _ in 0..<10 { #expect(try handler.next().wait() != nil) }
        let next = handler.next()
        channel.embeddedEventLoop.advanceTime(by: .minutes(1))
        #expect(throws: BlobError.self) { try next.wait() }
        #expect(!channel.isActive)
    }

    @Test("whoever waits is told of an error")
    func fails() throws {
        struct Broken: Error {}
        let next = handler.next()
        channel.pipeline.fireErrorCaught(Broken())
        #expect(throws: Broken.self) { try next.wait() }
    }
}
