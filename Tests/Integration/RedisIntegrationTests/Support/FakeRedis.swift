import NIOCore
import NIOPosix
import ParleyRedisClient
import Synchronization

/// A server that replies to commands as a test wants, on a port of 127.0.0.1 until `stop`.
final class FakeRedis: Sendable {
    /// The reply to a command, in RESP; `nil` for that of an empty Redis.
    typealias Reply = @Sendable ([String]) -> String?

    private let channel: any Channel
    private let counter: Counter

    /// The number of connections so far.
    var connections: Int { counter.count.load(ordering: .relaxed) }
    var port: Int { channel.localAddress?.port ?? 0 }

    private init(_ channel: any Channel, _ counter: Counter) {
        self.channel = channel
        self.counter = counter
    }

    static func start(_ reply: @escaping Reply) async throws -> FakeRedis {
        let counter = Counter()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                counter.count.wrappingAdd(1, ordering: .relaxed)
                return channel.eventLoop.makeCompletedFuture {
                    guard let handler = Handler(reply) else { throw RedisError.overloaded }
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return FakeRedis(channel, counter)
    }

    func stop() async throws {
        try await channel.close()
    }

    private final class Counter: Sendable {
        let count = Atomic(0)
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let reader: RESPReader
        private let reply: Reply

        init?(_ reply: @escaping Reply) {
            guard let reader = RESPReader() else { return nil }
            self.reader = reader
            self.reply = reply
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            buffer.withUnsafeReadableBytes { try? reader.feed($0) }
            while let command = try? reader.next() {
                let words = (command.elements ?? []).map { $0.text ?? "" }
                let text = reply(words) ?? Self.standard(words)
                context.write(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
            }
            context.flush()
        }

        private static func standard(_ words: [String]) -> String {
            switch words.first {
            case "SUBSCRIBE":
                words.dropFirst().enumerated().map { index, name in
                    "*3\r\n$9\r\nsubscribe\r\n$\(name.utf8.count)\r\n\(name)\r\n:\(index + 1)\r\n"
                }.joined()
            case "PUBLISH": ":0\r\n"
            default: "+OK\r\n"
            }
        }
    }
}
