package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// One port for HTTP and WebSocket: the first request of a connection decides which it is.
///
/// A WebSocket handshake stays in the pipeline; everything else goes on to the HTTP router. Who may come in is decided
/// in the connection's own task, which ends with the decision: an open socket costs no task.
package struct GatewayChannel: HTTPChannelHandler {
    /// A connection, and what its first request made of it.
    package struct Value: ServerChildChannelValue {
        package let channel: any Channel
        let kind: EventLoopFuture<Kind>
    }

    enum Kind: Sendable {
        case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
        case handshake(UpgradeRequest, decided: EventLoopPromise<Result<Admission, Refusal>>)
    }

    package let responder: HTTPChannelHandler.Responder
    private let gateway: Gateway

    package init(responder: @escaping HTTPChannelHandler.Responder, gateway: Gateway) {
        self.responder = responder
        self.gateway = gateway
    }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            guard gateway.counts.openConnection() else { throw ChannelError.eof }
            channel.closeFuture.whenComplete { [gateway] _ in gateway.counts.closeConnection() }
            // Most frames of clients are small, and every open socket holds one receive buffer.
            try channel.syncOptions?.setOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 512))
            let kind = channel.eventLoop.makePromise(of: Kind.self)
            try channel.pipeline.syncOperations.addHandlers([
                HTTPResponseEncoder(),
                ByteToMessageHandler(Self.decoder()),
                UpgradeGate(gateway: gateway, kind: kind, logger: logger),
            ])
            return Value(channel: channel, kind: kind.futureResult)
        }
    }

    package func handle(value: Value, logger: Logger) async {
        do {
            switch try await value.kind.get() {
            case .http(let channel):
                await handleHTTP(asyncChannel: channel, logger: logger)
            case .handshake(let request, let decided):
                decided.succeed(await gateway.decide(request, on: value.channel.eventLoop))
            }
        } catch {
            // The connection ended before its first request was complete.
        }
    }

    private static func decoder() -> HTTPRequestDecoder {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 16 * 1024
        limits.maxHeaderListSize = 32 * 1024
        limits.maxHeaderFieldCount = 100
        return HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits)
    }
}
