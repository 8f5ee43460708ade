import NIOCore
import NIOPosix
import Synchronization

/// A WebSocket client for tests, which can also violate the protocol.
///
/// It answers pings, decompresses messages, and keeps every message until it is taken.
package final class TestSocket: Sendable {
    /// The outcome of a handshake.
    package enum Opening: Sendable {
        case accepted(TestSocket)
        /// The server responded with a status other than 101.
        case refused(HTTPReply)

        /// The status of the response.
        package var status: Int {
            switch self {
            case .accepted: 101
            case .refused(let reply): reply.status
            }
        }
    }

    /// The handshake of a required socket was refused.
    package struct Refused: Error {
        package let reply: HTTPReply
    }

    /// The socket ended while a message was expected.
    package struct Ended: Error {
        package let end: SocketEnd

        package init(end: SocketEnd) {
            self.end = end
        }
    }

    /// The response to the handshake.
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

    /// The key of RFC 6455 §1.3 and the required answer; servers cannot tell it from a random one.
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    private static let acceptance = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    /// Performs a handshake.
    /// - Parameters:
    ///   - headers: Sent after those of the handshake.
    ///   - subprotocols: Offered in one `Sec-WebSocket-Protocol` header; none if empty.
    ///   - offersCompression: Whether permessage-deflate is offered.
    ///   - without: Headers of the handshake to omit, in lower case.
    /// - Throws: ``TimedOut``, or an error if the response is not HTTP or an invalid 101.
    package static func open(
        port: Int, path: String = "/chat", headers: HTTPClient.Headers = [], subprotocols: [String] = [],
        offersCompression: Bool = false, without: Set<String> = [], from sourceAddress: String? = nil,
        within limit: Duration = .patience
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

    /// Sends `request` verbatim and continues as a WebSocket client if the status is 101.
    package static func open(
        port: Int, request: String, from sourceAddress: String? = nil, within limit: Duration = .patience
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
            // No effect if it was completed; a promise must be completed on every path.
            response.fail(error)
            throw error
        }
    }

    /// Like ``open(port:path:headers:subprotocols:offersCompression:without:from:within:)``, for a test that needs the
    /// socket.
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

    /// Sends `bytes` as they are, without a frame.
    package func send(raw bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    /// Starts the closing handshake.
    package func close(code: Int = 1000) async throws {
        try await send(frame: SocketFrame(.close, [UInt8(code >> 8 & 0xFF), UInt8(code & 0xFF)]))
    }

    /// Closes the TCP connection without a closing handshake.
    package func drop() async {
        try? await channel.close().get()
    }

    /// Pauses or resumes reading. While paused, the server's messages accumulate on its side.
    package func setReading(_ isReading: Bool) async throws {
        try await channel.setOption(.autoRead, value: isReading).get()
    }

    // MARK: Receiving

    /// The next message as text; `nil` when the socket has ended.
    /// - Throws: ``TimedOut``.
    package func next(within limit: Duration = .patience) async throws -> String? {
        guard let bytes = try await messages.take(within: limit) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        log.withLock { $0.append(text) }
        return text
    }

    /// The next message as JSON.
    /// - Throws: ``TimedOut``, `DecodingError`, or ``Ended`` if the socket ended before.
    package func nextJSON(within limit: Duration = .patience) async throws -> JSONValue {
        guard let text = try await next(within: limit) else {
            throw Ended(end: try await end())
        }
        return try JSONValue(parsing: text)
    }

    /// The next message that satisfies `isWanted`; earlier ones are skipped (but remain in ``received``).
    package func nextJSON(
        within limit: Duration = .patience, where isWanted: @Sendable (JSONValue) -> Bool
    ) async throws -> JSONValue {
        let deadline = ContinuousClock.now + limit
        while true {
            let value = try await nextJSON(within: ContinuousClock.now.duration(to: deadline))
            if isWanted(value) { return value }
        }
    }

    /// All messages so far, whether taken or not; this takes the remaining ones.
    package var received: [String] {
        let rest = messages.takeAll().map { String(decoding: $0, as: UTF8.self) }
        return log.withLock { log in
            log += rest
            return log
        }
    }

    /// Stops answering pings, for tests that send frames in pieces, between which no pong may come.
    package func stopAnsweringPings() async throws {
        try await channel.eventLoop.submit { [channel] in
            try channel.pipeline.syncOperations.handler(type: SocketHandler.self).answersPings = false
        }.get()
    }

    /// The next ping of the server, which has been answered.
    package func nextPing(within limit: Duration) async throws -> [UInt8]? {
        try await pings.take(within: limit)
    }

    /// The payload of the next pong.
    package func nextPong(within limit: Duration = .patience) async throws -> [UInt8]? {
        try await pongs.take(within: limit)
    }

    /// Waits for the end of the socket.
    /// - Throws: ``TimedOut`` if it is still open after `limit`.
    package func end(within limit: Duration = .patience) async throws -> SocketEnd {
        let end = try await ends.take(within: limit) ?? SocketEnd(code: nil, reason: "asked twice")
        return end
    }

    /// Waits for the end of the socket and returns the code of the server's close frame; `nil` if it ended without one.
    package func closeCode(within limit: Duration = .patience) async throws -> Int? {
        try await end(within: limit).code
    }
}

/// How a WebSocket connection ended.
package struct SocketEnd: Hashable, Sendable {
    /// The code of the server's close frame; `nil` if the connection ended without one.
    package let code: Int?
    package let reason: String

    package init(code: Int?, reason: String = "") {
        self.code = code
        self.reason = reason
    }
}
