import NIOCore
import NIOPosix
import ParleyRedisClient
import ParleyTestSupport

/// A bare subscription that records the payloads.
final class RawSubscriber: Sendable {
    let payloads: ParleyTestSupport.Recorder<[UInt8]>
    private let channel: any Channel

    private init(_ payloads: ParleyTestSupport.Recorder<[UInt8]>, _ channel: any Channel) {
        self.payloads = payloads
        self.channel = channel
    }

    /// Returns when Redis has acknowledged.
    static func start(_ port: Int, channels: [String]) async throws -> RawSubscriber {
        let payloads = ParleyTestSupport.Recorder<[UInt8]>()
        let acknowledged = ParleyTestSupport.Recorder<Bool>()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let reader = RESPReader() else { throw RedisError.overloaded }
                    try channel.pipeline.syncOperations.addHandler(Handler(reader, payloads, acknowledged))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        try await channel.writeAndFlush(RESPCommand(["SUBSCRIBE"] + channels).bytes)
        try await acknowledged.wait(count: channels.count)
        return RawSubscriber(payloads, channel)
    }

    func stop() async throws {
        try await channel.close()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let reader: RESPReader
        private let payloads: ParleyTestSupport.Recorder<[UInt8]>
        private let acknowledged: ParleyTestSupport.Recorder<Bool>

        init(
            _ reader: RESPReader, _ payloads: ParleyTestSupport.Recorder<[UInt8]>,
            _ acknowledged: ParleyTestSupport.Recorder<Bool>
        ) {
            self.reader = reader
            self.payloads = payloads
            self.acknowledged = acknowledged
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            buffer.withUnsafeReadableBytes { try? reader.feed($0) }
            while let reply = try? reader.next() {
                guard let parts = reply.elements, parts.count == 3 else { continue }
                if parts[0].text == "message", let payload = parts[2].bytes { payloads.record(payload) }
                if parts[0].text == "subscribe" { acknowledged.record(true) }
            }
        }
    }
}
