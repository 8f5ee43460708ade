import Foundation
import NIOCore
import NIOPosix

/// A TCP connection that sends exactly the bytes it is given.
///
/// Its state is on the channel's event loop and in a ``Mailbox``, so any task may use it.
package final class RawConnection: Sendable {
    private let channel: any Channel
    private let chunks: Mailbox<[UInt8]>

    private init(channel: any Channel, chunks: Mailbox<[UInt8]>) {
        self.channel = channel
        self.chunks = chunks
    }

    deinit {
        channel.close(mode: .all, promise: nil)
    }

    /// Connects to `host`.
    /// - Parameter sourceAddress: The local address to connect from, such as `127.0.0.2`; `nil` for the system's
    ///   choice.
    /// - Throws: System errors, such as a refused connection.
    package static func connect(
        host: String = "127.0.0.1", port: Int, from sourceAddress: String? = nil, within limit: Duration = .patience
    ) async throws -> RawConnection {
        let chunks = Mailbox<[UInt8]>(of: "bytes")
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(TimeAmount(limit))
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ChunkHandler(chunks))
                }
            }
        if let sourceAddress {
            bootstrap = bootstrap.bind(to: try SocketAddress(ipAddress: sourceAddress, port: 0))
        }
        let channel = try await bootstrap.connect(host: host, port: port).get()
        return RawConnection(channel: channel, chunks: chunks)
    }

    /// Returns when the system has accepted the bytes.
    package func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    package func send(_ text: String) async throws {
        try await send(Array(text.utf8))
    }

    /// The next bytes, in arbitrary portions; `nil` when the peer has closed.
    package func read(within limit: Duration = .patience) async throws -> [UInt8]? {
        try await chunks.take(within: limit)
    }

    /// All bytes until the peer closes.
    package func readToEnd(within limit: Duration = .patience) async throws -> [UInt8] {
        let deadline = ContinuousClock.now + limit
        var bytes: [UInt8] = []
        while let chunk = try await chunks.take(within: ContinuousClock.now.duration(to: deadline)) {
            bytes += chunk
        }
        return bytes
    }

    /// Whether the connection is open, as far as this side knows.
    package var isOpen: Bool { channel.isActive }

    /// Pauses or resumes reading. While paused, the peer's sends fill the system's buffers and then stop.
    package func setReading(_ isReading: Bool) async throws {
        try await channel.setOption(.autoRead, value: isReading).get()
    }

    /// Closes the sending direction; the peer's bytes can still be read.
    package func finishSending() async throws {
        try await channel.close(mode: .output).get()
    }

    /// Closes both directions; no effect on a closed connection.
    package func close() async {
        try? await channel.close().get()
    }

    /// Resets the TCP connection, as a crash of the client's machine would.
    package func reset() async throws {
        let options = channel as? any SocketOptionProvider
        try await options?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        await close()
    }
}

/// Puts received bytes into a mailbox.
private final class ChunkHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let chunks: Mailbox<[UInt8]>

    init(_ chunks: Mailbox<[UInt8]>) {
        self.chunks = chunks
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        chunks.put(Array(unwrapInboundIn(data).readableBytesView))
    }

    func channelInactive(context: ChannelHandlerContext) {
        chunks.finish()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
