#if os(Linux)
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    import NIOSSL
    import NIOWebSocket

    /// A transport on SwiftNIO. Each request has its own connection.
    public struct NIOTransport: ChatTransport {
        /// The timeout of a request.
        static let timeout = TimeAmount.seconds(30)
        /// The maximum size of a frame in bytes. The server's frames are smaller; a page of the log is the largest.
        static let maximumFrame = 8 << 20

        /// Creates a transport on the process's shared event loops.
        public init() {}

        /// Opens a WebSocket.
        public func connect(
            to url: String, headers: [(name: String, value: String)]
        ) async throws -> any ChatSocket {
            let target = try Target(url)
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            let opened = loop.makePromise(of: NIOSocket.self)
            let channel: any Channel
            do {
                channel = try await bootstrap(on: loop, target) { channel in
                    let upgrader = NIOWebSocketClientUpgrader(
                        maxFrameSize: Self.maximumFrame, automaticErrorHandling: false
                    ) { channel, _ in
                        channel.eventLoop.makeCompletedFuture {
                            let handler = NIOSocketHandler()
                            try channel.pipeline.syncOperations.addHandler(handler)
                            opened.succeed(NIOSocket(channel, handler.events))
                        }
                    }
                    let rejection = NIOLoopBound(RejectionHandler(opened), eventLoop: channel.eventLoop)
                    try channel.pipeline.syncOperations.addHTTPClientHandlers(
                        leftOverBytesStrategy: .forwardBytes,
                        withClientUpgrade: (
                            upgraders: [upgrader],
                            completionHandler: { _ in
                                _ = channel.pipeline.syncOperations.removeHandler(rejection.value)
                            }
                        ))
                    try channel.pipeline.syncOperations.addHandler(rejection.value)
                }.get()
            } catch {
                opened.fail(error)
                throw error
            }
            let timer = loop.scheduleTask(in: Self.timeout) { opened.fail(ChatError.noAnswer("no answer in time")) }
            opened.futureResult.whenComplete { _ in timer.cancel() }
            opened.futureResult.whenFailure { _ in channel.close(promise: nil) }
            channel.closeFuture.whenComplete { _ in opened.fail(ChatError.noAnswer("the connection was closed")) }
            let head = target.head(.GET, headers)
            channel.write(HTTPClientRequestPart.head(head), promise: nil)
            channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
            return try await opened.futureResult.get()
        }

        /// Sends a request on its own connection. Cancelling the task cancels the request.
        public func send(_ request: TransportRequest) async throws -> TransportResponse {
            let target = try Target(request.url)
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            let answered = loop.makePromise(of: TransportResponse.self)
            let timer = loop.scheduleTask(in: Self.timeout) { answered.fail(ChatError.noAnswer("no answer in time")) }
            answered.futureResult.whenComplete { _ in timer.cancel() }
            let connected: EventLoopFuture<any Channel>
            do {
                connected = try bootstrap(on: loop, target) { channel in
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(ResponseHandler(answered))
                }
            } catch {
                answered.fail(error)
                throw error
            }
            connected.whenFailure { answered.fail($0) }
            connected.whenSuccess { channel in
                answered.futureResult.whenComplete { _ in channel.close(promise: nil) }
                Self.write(request, to: target, on: channel)
            }
            return try await withTaskCancellationHandler {
                try await answered.futureResult.get()
            } onCancel: {
                answered.fail(CancellationError())
            }
        }

        private static func write(_ request: TransportRequest, to target: Target, on channel: any Channel) {
            var head = target.head(HTTPMethod(rawValue: request.method), request.headers)
            head.headers.add(name: "Connection", value: "close")
            if !request.body.isEmpty || !["GET", "HEAD"].contains(request.method) {
                head.headers.add(name: "Content-Length", value: "\(request.body.count)")
            }
            channel.write(HTTPClientRequestPart.head(head), promise: nil)
            if !request.body.isEmpty {
                channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: request.body))), promise: nil)
            }
            channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        }

        private func bootstrap(
            on loop: any EventLoop, _ target: Target, _ add: @escaping @Sendable (any Channel) throws -> Void
        ) throws -> EventLoopFuture<any Channel> {
            let tls = target.isTLS ? try NIOSSLContext(configuration: .makeClientConfiguration()) : nil
            return ClientBootstrap(group: loop)
                .connectTimeout(.seconds(10))
                .channelOption(.socketOption(.tcp_nodelay), value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        if let tls {
                            try channel.pipeline.syncOperations.addHandler(
                                NIOSSLClientHandler(context: tls, serverHostname: target.serverName))
                        }
                        try add(channel)
                    }
                }
                .connect(host: target.host, port: target.port)
        }
    }

    /// The destination of a request.
    private struct Target: Sendable {
        let host: String
        let port: Int
        let isTLS: Bool
        /// The path and the query.
        let path: String
        private let authority: String

        init(_ url: String) throws {
            guard let parts = url.wholeMatch(of: /(https?|wss?):\/\/(\[[^\]]+\]|[^:\/]+)(?::([0-9]+))?(\/.*)?/) else {
                throw ChatError.invalid(.address, "\(url) is not an address")
            }
            isTLS = parts.1 == "https" || parts.1 == "wss"
            let name = String(parts.2)
            host = name.hasPrefix("[") ? String(name.dropFirst().dropLast()) : name
            port = parts.3.flatMap { Int($0) } ?? (isTLS ? 443 : 80)
            path = parts.4.map(String.init) ?? "/"
            authority = parts.3 == nil ? name : "\(name):\(port)"
        }

        /// The server name for TLS; `nil` for an IP address, which is not a server name (RFC 6066 §3).
        var serverName: String? { (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil }

        func head(_ method: HTTPMethod, _ headers: [(name: String, value: String)]) -> HTTPRequestHead {
            var fields = HTTPHeaders([("Host", authority)])
            for header in headers { fields.add(name: header.name, value: header.value) }
            return HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: fields)
        }
    }
#endif
