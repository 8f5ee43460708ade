import NIOCore
import NIOPosix
import Synchronization

/// A WebSocket client for tests: comfortable with what is right, able to send what is wrong.
///
/// It answers pings, expands compressed messages, and holds every message until somebody takes it.
package final class TestSocket: Sendable {
    /// What became of a request for a socket.
    package enum Opening: Sendable {
        case accepted(TestSocket)
        /// The server answered with something other than 101.
        case refused(HTTPReply)

        /// The status of the answer.
        package var status: Int {
            switch self {
            case .accepted: 101
            case .refused(let reply): reply.status
            }
        }
    }

    /// A test wanted an open socket and was refused.
    package struct Refused: Error {
        package let reply: HTTPReply
    }

    /// A message was expected and the socket ended.
    package struct Ended: Error {
        package let end: SocketEnd

        package init(end: SocketEnd) {
            self.end = end
        }
    }

    /// The answer to the handshake.
    package let reply: HTTPReply
    private let channel: any Channel
    private let messages: Mailbox<[UInt8]>
    private let ends: Mailbox<SocketEnd>
    private let pings: Mailbox<[UInt8]>
    private let pongs: Mailbox<[UInt8]>
    private let log = Mutex<[String]>([])

    private init(
        reply: HTTPReply, channel: any Channel, messages: Mailbox<[UInt8]>, ends: Mailbox<SocketEnd>,
        pings: Mailbox<[UInt8]>, pongs: Mailbox<[UInt8]>
    ) {
        self.reply = reply
        self.channel = channel
        self.messages = messages
        self.ends = ends
        self.pings = pings
        self.pongs = pongs
    }

    deinit {
        channel.close(mode: .all, promise: nil)
    }

    /// The key of RFC 6455 §1.3 and the answer it must get; a server has no reason to tell it from a random one.
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    private static let acceptance = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    /// Asks for a socket.
    /// - Parameters:
    ///   - headers: Sent after those of the handshake.
    ///   - subprotocols: Offered in one `Sec-WebSocket-Protocol` header; none if empty.
    ///   - offersCompression: Whether permessage-deflate is offered.
    ///   - without: Headers of the handshake to leave out, in lower case, to ask wrongly.
    /// - Throws: ``TimedOut``, or that the answer was no HTTP or a wrong 101.
    package static func open(
        port: Int, path: String = "/chat", headers: HTTPClient.Headers = [], subprotocols: [String] = [],
        offersCompression: Bool = false, without: Set<String> = [], from sourceAddress: String? = nil,
        within limit: Duration = .seconds(20)
    ) async throws -> Opening {
        var all: HTTPClient.Headers = [
            ("Host", "127.0.0.1:\(port)"), ("Upgrade", "websocket"), ("Connection", "Upgrade"),
            ("Sec-WebSocket-Key", key), ("Sec-WebSocket-Version", "13"),
        ]
        if !subprotocols.isEmpty { all.append(("Sec-WebSocket-Protocol", subprotocols.joined(separator: ", "))) }
        if offersCompression {
            all.append(("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits"))
        }
        all = all.filter { header in
            let name = header.name.lowercased()
            return !without.contains(name) && !headers.contains { $0.name.lowercased() == name }
        }
        let lines = (all + headers).map { "\($0.name): \($0.value)\r\n" }.joined()
        return try await open(
            port: port, request: "GET \(path) HTTP/1.1\r\n\(lines)\r\n", from: sourceAddress, within: limit)
    }

    /// Sends `request` as it stands and goes on as a WebSocket client if the answer is 101.
    package static func open(
        port: Int, request: String, from sourceAddress: String? = nil, within limit: Duration = .seconds(20)
    ) async throws -> Opening {
        let messages = Mailbox<[UInt8]>(of: "message")
        let ends = Mailbox<SocketEnd>(of: "end of the socket")
        let pings = Mailbox<[UInt8]>(of: "ping")
        let pongs = Mailbox<[UInt8]>(of: "pong")
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let response = loop.makePromise(of: SocketHandler.Response.self)
        var bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(TimeAmount(limit))
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = SocketHandler(
                        response: response, messages: messages, ends: ends, pings: pings, pongs: pongs)
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
        do {
            if let sourceAddress {
                bootstrap = bootstrap.bind(to: try SocketAddress(ipAddress: sourceAddress, port: 0))
            }
            let channel = try await bootstrap.connect(host: "127.0.0.1", port: port).get()
            let timer = loop.scheduleTask(in: TimeAmount(limit)) {
                response.fail(TimedOut("answer to the handshake", after: limit))
                channel.close(promise: nil)
            }
            channel.writeAndFlush(ByteBuffer(string: request), promise: nil)
            defer { timer.cancel() }
            switch try await response.futureResult.get() {
            case .refused(let reply):
                return .refused(reply)
            case .accepted(let reply):
                guard reply.header("sec-websocket-accept") == acceptance else {
                    throw HTTPReplyParser.Malformed(reason: "Sec-WebSocket-Accept is wrong")
                }
                return .accepted(
                    TestSocket(
                        reply: reply, channel: channel, messages: messages, ends: ends, pings: pings, pongs: pongs))
            }
        } catch {
            // Without effect if it has been kept; a promise must be kept on every path.
            response.fail(error)
            throw error
        }
    }

    /// As ``open(port:path:headers:subprotocols:offersCompression:without:from:within:)``, for a test that needs the socket.
    /// - Throws: ``Refused``.
    package static func connect(
        port: Int, path: String = "/chat", headers: HTTPClient.Headers = [], subprotocols: [String] = [],
        offersCompression: Bool = false
    ) async throws -> TestSocket {
        let opening = try await open(
            port: port, path: path, headers: headers, subprotocols: subprotocols, offersCompression: offersCompression)
        switch opening {
        case .accepted(let socket): return socket
        case .refused(let reply): throw Refused(reply: reply)
        }
    }

    // MARK: Sending

    package func send(text: String) async throws {
        try await send(frame: SocketFrame(.text, Array(text.utf8)))
    }

    package func send(json: JSONValue) async throws {
        try await send(text: json.text)
    }

    package func send(frame: SocketFrame) async throws {
        try await send(raw: frame.bytes())
    }

    /// Sends `bytes` as they are, with no frame around them.
    package func send(raw bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    /// Starts the closing handshake.
    package func close(code: Int = 1000) async throws {
        try await send(frame: SocketFrame(.close, [UInt8(code >> 8 & 0xFF), UInt8(code & 0xFF)]))
    }

    /// Ends the TCP connection without a word.
    package func drop() async {
        try? await channel.close().get()
    }

    /// While paused nothing is read, so what the server sends piles up on its side.
    package func setReading(_ isReading: Bool) async throws {
        try await channel.setOption(.autoRead, value: isReading).get()
    }

    // MARK: Receiving

    /// The next message as text; `nil` when the socket has ended.
    /// - Throws: ``TimedOut``.
    package func next(within limit: Duration = .seconds(10)) async throws -> String? {
        guard let bytes = try await messages.take(within: limit) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        log.withLock { $0.append(text) }
        return text
    }

    /// The next message as JSON.
    /// - Throws: ``TimedOut``, `DecodingError`, or ``Ended`` if the socket ended before.
    package func nextJSON(within limit: Duration = .seconds(10)) async throws -> JSONValue {
        guard let text = try await next(within: limit) else {
            throw Ended(end: try await end(within: .seconds(5)))
        }
        return try JSONValue(parsing: text)
    }

    /// The next message that satisfies `isWanted`; those before it are passed over (but are in ``received``).
    package func nextJSON(
        within limit: Duration = .seconds(10), where isWanted: @Sendable (JSONValue) -> Bool
    ) async throws -> JSONValue {
        let deadline = ContinuousClock.now + limit
        while true {
            let value = try await nextJSON(within: ContinuousClock.now.duration(to: deadline))
            if isWanted(value) { return value }
        }
    }

    /// Everything that came so far, taken or not; what had not been taken is taken by this.
    package var received: [String] {
        let rest = messages.takeAll().map { String(decoding: $0, as: UTF8.self) }
        return log.withLock { log in
            log += rest
            return log
        }
    }

    /// From now on pings are not answered: for who sends frames in pieces, between which nothing may come.
    package func stopAnsweringPings() async throws {
        try await channel.eventLoop.submit { [channel] in
            try channel.pipeline.syncOperations.handler(type: SocketHandler.self).answersPings = false
        }.get()
    }

    /// The next ping of the server; it has been answered already.
    package func nextPing(within limit: Duration) async throws -> [UInt8]? {
        try await pings.take(within: limit)
    }

    /// The payload of the next pong that answers a ping of ours.
    package func nextPong(within limit: Duration = .seconds(5)) async throws -> [UInt8]? {
        try await pongs.take(within: limit)
    }

    /// How the socket ended; waits for that.
    /// - Throws: ``TimedOut`` if it is still open after `limit`.
    package func end(within limit: Duration = .seconds(10)) async throws -> SocketEnd {
        let end = try await ends.take(within: limit) ?? SocketEnd(code: nil, reason: "asked twice")
        return end
    }

    /// The code of the server's close frame, `nil` if the connection ended without one; waits for the end.
    package func closeCode(within limit: Duration = .seconds(10)) async throws -> Int? {
        try await end(within: limit).code
    }
}
