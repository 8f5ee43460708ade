package import NIOCore
package import NIOHTTP1
import NIOPosix
import NIOSSL
import ParleyModel

/// One HTTP request on a connection of its own, and its response, whose body is read as fast as it is consumed.
///
/// Files are large and few, so that connections are not kept. Used by one task.
final class HTTPExchange: Sendable {
    /// Maximum wait for a connection, and for the other end to read or write anything.
    private static let (connectTimeout, idleTimeout) = (TimeAmount.seconds(10), TimeAmount.seconds(60))

    let head: HTTPResponseHead
    private let channel: any Channel
    private let response: NIOLoopBound<ResponseHandler>

    private init(_ head: HTTPResponseHead, _ channel: any Channel, _ response: NIOLoopBound<ResponseHandler>) {
        self.head = head
        self.channel = channel
        self.response = response
    }

    /// Sends a request, and waits for the head of its response.
    /// - Parameter limit: maximum time until the end of the response; `nil` if only silence ends it.
    static func send(
        _ head: HTTPRequestHead, body: [UInt8], to host: String, port: Int, tls: NIOSSLContext?,
        within limit: TimeAmount?
    ) async throws(BlobError) -> HTTPExchange {
        do {
            let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(connectTimeout).channelOption(.autoRead, value: false)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        if let tls {
                            let isAddress = (try? SocketAddress(ipAddress: host, port: port)) != nil
                            try pipeline.addHandler(
                                NIOSSLClientHandler(context: tls, serverHostname: isAddress ? nil : host))
                        }
                        try pipeline.addHandler(IdleStateHandler(allTimeout: idleTimeout))
                        try pipeline.addHTTPClientHandlers()
                        try pipeline.addHandler(ResponseHandler(channel.eventLoop, within: limit))
                    }
                }
            let channel = try await bootstrap.connect(host: host, port: port).get()
            let response = try await channel.eventLoop.submit {
                NIOLoopBound(
                    try channel.pipeline.syncOperations.handler(type: ResponseHandler.self),
                    eventLoop: channel.eventLoop)
            }.get()
            do {
                channel.write(HTTPClientRequestPart.head(head), promise: nil)
                if !body.isEmpty {
                    channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
                }
                channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
                guard case .head(let head)? = try await next(of: response) else {
                    throw BlobError.unavailable("\(host) sent no response")
                }
                return HTTPExchange(head, channel, response)
            } catch {
                channel.close(promise: nil)
                throw error
            }
        } catch let error as BlobError {
            throw error
        } catch {
            throw .unavailable("\(host):\(port): \(error)")
        }
    }

    /// The next bytes of the body; `nil` at its end.
    func next() async throws(BlobError) -> ByteBuffer? {
        do {
            while let part = try await Self.next(of: response) {
                switch part {
                case .head: continue
                case .body(let bytes): return bytes
                case .end: return nil
                }
            }
            throw BlobError.unavailable("the storage closed the connection before the end of its response")
        } catch let error as BlobError {
            throw error
        } catch {
            throw .unavailable("\(error)")
        }
    }

    /// The whole body, up to a limit.
    func collect(upTo limit: Int) async throws(BlobError) -> [UInt8] {
        var bytes: [UInt8] = []
        while let next = try await next() {
            guard bytes.count + next.readableBytes <= limit else { throw .unavailable("a response is too long") }
            bytes += next.readableBytesView
        }
        return bytes
    }

    func close() {
        channel.close(promise: nil)
    }

    private static func next(of response: NIOLoopBound<ResponseHandler>) async throws -> HTTPClientResponsePart? {
        try await response.eventLoop.flatSubmit { response.value.next() }.get()
    }
}

/// Holds the parts of a response until they are asked for, and reads more only then.
package final class ResponseHandler: ChannelInboundHandler {
    package typealias InboundIn = HTTPClientResponsePart

    private var parts = CircularBuffer<HTTPClientResponsePart>()
    private var waiting: EventLoopPromise<HTTPClientResponsePart?>?
    private var failure: (any Error)?
    private var isOver = false
    private let eventLoop: any EventLoop
    private var context: ChannelHandlerContext?
    private let limit: TimeAmount?
    private var deadline: Scheduled<Void>?

    /// - Parameter limit: maximum time until the end of the response.
    package init(_ eventLoop: any EventLoop, within limit: TimeAmount? = nil) {
        self.eventLoop = eventLoop
        self.limit = limit
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        deadline = limit.map { limit in
            eventLoop.assumeIsolated().scheduleTask(in: limit) { [self] in
                fail("the storage has not ended its response in time")
            }
        }
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        finish(nil)
        self.context = nil
    }

    /// The next part; `nil` if the connection is closed and all that came before is read.
    package func next() -> EventLoopFuture<HTTPClientResponsePart?> {
        if let part = parts.popFirst() { return eventLoop.makeSucceededFuture(part) }
        if let failure { return eventLoop.makeFailedFuture(failure) }
        guard let context, !isOver else { return eventLoop.makeSucceededFuture(nil) }
        let promise = eventLoop.makePromise(of: HTTPClientResponsePart?.self)
        waiting = promise
        context.read()
        return promise.futureResult
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if let waiting {
            self.waiting = nil
            waiting.succeed(part)
        } else {
            parts.append(part)
        }
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        // What was read may have been the middle of a TLS record or of a head.
        if waiting != nil { context.read() }
    }

    package func channelInactive(context: ChannelHandlerContext) {
        finish(nil)
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finish(error)
        context.close(promise: nil)
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is IdleStateHandler.IdleStateEvent else { return context.fireUserInboundEventTriggered(event) }
        fail("the storage has been silent for a minute")
    }

    private func fail(_ reason: String) {
        finish(BlobError.unavailable(reason))
        context?.close(promise: nil)
    }

    private func finish(_ error: (any Error)?) {
        isOver = true
        failure = failure ?? error
        guard let waiting else { return }
        self.waiting = nil
        if let failure { waiting.fail(failure) } else { waiting.succeed(nil) }
    }
}
