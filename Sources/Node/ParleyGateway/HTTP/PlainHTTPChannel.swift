package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1
package import NIOHTTPTypes
import NIOHTTPTypesHTTP1
package import ParleyModel

/// The HTTP connections of a listener without sockets, with the checks and limits of `GatewayChannel`.
package struct PlainHTTPChannel: HTTPChannelHandler {
    package typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    package let responder: HTTPChannelHandler.Responder
    private let counts: ConnectionCounts
    private let limits: RequestLimits
    private let idleTimeout: TimeAmount
    private let clock: WallClock

    /// - Parameters:
    ///   - limits: includes a time limit for the first head.
    ///   - idleTimeout: how long a connection may be silent between requests.
    package init(
        responder: @escaping HTTPChannelHandler.Responder, counts: ConnectionCounts, limits: RequestLimits,
        idleTimeout: TimeAmount, clock: WallClock
    ) {
        self.responder = responder
        self.counts = counts
        self.limits = limits
        self.idleTimeout = idleTimeout
        self.clock = clock
    }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.setUpOrClose { try build(channel, logger) }
    }

    private func build(_ channel: any Channel, _ logger: Logger) throws -> Value {
        guard let place = counts.openConnection(from: channel.remoteAddress?.ipAddress) else {
            throw ChannelError.eof
        }
        channel.closeFuture.whenComplete { [counts] _ in counts.closeConnection(place) }
        let pipeline = channel.pipeline.syncOperations
        let decoder = RequestDecoder()
        try pipeline.addHandlers([
            HTTPResponseEncoder(), ByteToMessageHandler(decoder),
            RequestCheck(decoder, clock: clock, closeTimeout: limits.closeTimeout, logger: logger),
        ])
        try pipeline.addHandler(WholeTarget())
        try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
        try pipeline.addHandler(RequestDeadlines(limits))
        try pipeline.addHandler(HTTPConnectionStateHandler(idleTimeout: .init(idleTimeout), logger: logger))
        return try NIOAsyncChannel(
            wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    }

    package func handle(value: Value, logger: Logger) async {
        await handleHTTP(asyncChannel: value, logger: logger)
    }
}

/// Keeps a request target in absolute form (RFC 9112 §3.2.2: `http://host/path`) from being routed by its path.
///
/// The codec behind it passes on the path only, so that the router cannot distinguish the two forms. With a slash in
/// front such a target is an unknown path.
final class WholeTarget: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head)? = context.part(data, as: InboundIn.self), !head.uri.hasPrefix("/") else {
            return context.fireChannelRead(data)
        }
        head.uri = "/" + head.uri
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}

extension Channel {
    /// Builds the pipeline of an accepted connection, and closes the connection if that fails, since the server leaves
    /// it open. Must be called on the event loop.
    func setUpOrClose<Value: Sendable>(_ build: () throws -> Value) -> EventLoopFuture<Value> {
        eventLoop.makeCompletedFuture {
            do {
                return try build()
            } catch {
                close(promise: nil)
                throw error
            }
        }
    }
}
