/// Opens sockets and sends HTTP requests: the client's only way to the network.
///
/// The default uses URLSession on Apple's systems and NIO elsewhere. Tests replace it.
public protocol ChatTransport: Sendable {
    /// Opens a WebSocket.
    /// - Parameters:
    ///   - url: `ws://` or `wss://`, with path and query.
    ///   - headers: To be added to the request; `Sec-WebSocket-Protocol` is among them.
    /// - Throws: ``HandshakeFailure``, or any other error for a server that cannot be reached.
    func connect(to url: String, headers: [(name: String, value: String)]) async throws -> any ChatSocket

    /// Sends a request, and waits for the whole answer. Redirects are not followed.
    /// - Throws: Any error for a server that cannot be reached or does not answer.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}

/// An open WebSocket.
public protocol ChatSocket: Sendable {
    /// Sends a text frame. Called by one task at a time; returns when the frame is handed over, which bounds what is
    /// queued.
    func send(_ text: String) async throws

    /// What has arrived since the last call, at least one element; suspends until there is something. Called by one task
    /// at a time. The last element of all is `closed`.
    func receive() async -> [SocketEvent]

    /// Closes the socket; `receive()` returns `closed` afterwards, also if the server does not reply.
    func close(code: Int) async
}

/// What arrives on a socket.
public enum SocketEvent: Hashable, Sendable {
    /// A text frame, UTF-8.
    case text([UInt8])
    /// A ping or another sign of life. Pings are answered by the socket. Optional.
    case activity
    /// The socket is closed, with the code of the server's close frame, if there was one.
    case closed(code: Int?)
}

/// The server's answer to a handshake was not 101.
public struct HandshakeFailure: Error, Hashable, Sendable {
    /// The HTTP status.
    public let status: Int
    /// `Retry-After` in seconds, if there was one.
    public let retryAfter: Int?

    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - retryAfter: `Retry-After` in seconds.
    public init(status: Int, retryAfter: Int?) {
        self.status = status
        self.retryAfter = retryAfter
    }
}

/// An HTTP request.
public struct TransportRequest: Sendable {
    /// `GET`, `POST` and so on.
    public let method: String
    /// `http://` or `https://`, with path and query, percent-encoded.
    public let url: String
    /// Header fields.
    public let headers: [(name: String, value: String)]
    /// May be empty.
    public let body: [UInt8]

    /// - Parameters:
    ///   - method: `GET`, `POST` and so on.
    ///   - url: Percent-encoded.
    ///   - headers: Header fields.
    ///   - body: May be empty.
    public init(method: String, url: String, headers: [(name: String, value: String)], body: [UInt8]) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// The answer to an HTTP request.
public struct TransportResponse: Sendable {
    /// The HTTP status.
    public let status: Int
    /// Header fields.
    public let headers: [(name: String, value: String)]
    /// May be empty.
    public let body: [UInt8]

    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - headers: Header fields.
    ///   - body: May be empty.
    public init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first value of a header field, whose name is compared without case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
