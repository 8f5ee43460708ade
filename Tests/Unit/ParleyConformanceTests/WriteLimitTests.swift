import NIOCore
import NIOEmbedded
import ParleyConformance
import Testing

/// Clients that ask and do not read.
@Suite struct WriteLimitTests {
    /// A client that reads nothing until it is told to.
    private final class Unread: ChannelOutboundHandler {
        typealias OutboundIn = IOData

        private var promises: [EventLoopPromise<Void>] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if let promise { promises.append(promise) }
        }

        func read() {
            for promise in promises { promise.succeed() }
            promises = []
        }
    }

    private let channel = EmbeddedChannel()
    private let client = Unread()

    init() throws {
        try channel.pipeline.syncOperations.addHandlers([client, WriteLimit()])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func write(megabytes: Int) {
        for _ in 0..<megabytes {
            channel.writeAndFlush(IOData.byteBuffer(ByteBuffer(repeating: 0, count: 1 << 20)), promise: nil)
        }
    }

    @Test("what was read does not count")
    func reads() {
        for _ in 0..<4 {
            write(megabytes: WriteLimit.maximumBytes >> 20)
            client.read()
        }
        #expect(channel.isActive)
    }

    @Test("more than the limit closes the connection")
    func doesNotRead() {
        write(megabytes: WriteLimit.maximumBytes >> 20)
        #expect(channel.isActive)
        write(megabytes: 1)
        #expect(!channel.isActive)
        client.read()
    }
}
