import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import ParleyGateway
import ParleyTestSupport
import Testing

/// Connections that are closed behind a response while the body of the request is still arriving.
@Suite struct RequestDeadlinesTests {
    private let channel = EmbeddedChannel()

    private static let limits = RequestLimits(
        firstHead: nil, body: .seconds(30), streamedPaths: [], streamedBytesPerSecond: 1, closeTimeout: .seconds(5))

    private func read(_ part: HTTPRequestPart) throws {
        try channel.writeInbound(part)
    }

    /// Receives the head and some of the body, and responds.
    private func respond() throws {
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try channel.setOption(.allowRemoteHalfClosure, value: true).wait()
        try channel.pipeline.syncOperations.addHandler(RequestDeadlines(Self.limits))
        try read(.head(HTTPRequest(method: .patch, scheme: "http", authority: "x", path: "/a")))
        try read(.body(ByteBuffer(string: "one")))
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .serviceUnavailable)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    /// As `respond`, and closes the output as Hummingbird does.
    private func respondEarly() throws -> EventLoopFuture<Void> {
        try respond()
        let closed = channel.close(mode: .output)
        while try channel.readInbound(as: HTTPRequestPart.self) != nil {}
        return closed
    }

    @Test("the rest of the body is discarded, and then the output is closed")
    func discarded() throws {
        let closes = Recorder<Bool>()
        try respondEarly().whenSuccess { closes.record(true) }
        try read(.body(ByteBuffer(string: "two")))
        #expect(closes.elements.isEmpty)
        try read(.end(nil))
        #expect(closes.elements == [true])
        // Nothing of it has reached the handlers behind.
        #expect(try channel.readInbound(as: HTTPRequestPart.self) == nil)
        // The client is to hang up now.
        channel.embeddedEventLoop.advanceTime(by: .seconds(5))
        #expect(!channel.isActive)
    }

    @Test("the output is closed at once if the rest of the body cannot be parsed")
    func malformed() throws {
        let closes = Recorder<Bool>()
        try respondEarly().whenSuccess { closes.record(true) }
        #expect(closes.elements.isEmpty)
        channel.pipeline.fireErrorCaught(ChannelError.inputClosed)
        #expect(closes.elements == [true])
    }

    @Test("a request has one response, also if the rest of its body cannot be parsed")
    func oneResponse() throws {
        try respond()
        channel.pipeline.fireErrorCaught(ChannelError.inputClosed)
        while try channel.readOutbound(as: HTTPResponsePart.self) != nil {}
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .badRequest)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        #expect(try channel.readOutbound(as: HTTPResponsePart.self) == nil)
    }

    @Test("a client that does not send the rest is disconnected")
    func silent() throws {
        let failures = Recorder<String>()
        try respondEarly().whenFailure { failures.record("\($0)") }
        channel.embeddedEventLoop.advanceTime(by: .seconds(29))
        #expect(channel.isActive && failures.elements.isEmpty)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive && failures.elements.count == 1)
    }
}
