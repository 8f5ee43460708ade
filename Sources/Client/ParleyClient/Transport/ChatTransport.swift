/// The client's access to the network: WebSockets and HTTP requests.
///
/// The default is ``URLSessionTransport`` on Apple's systems and ``NIOTransport`` elsewhere. Tests replace it. See
/// <doc:Testing>.
public protocol ChatTransport: Sendable {
    /// Opens a WebSocket.
    /// - Parameters:
    ///   - url: The `ws://` or `wss://` URL, with path and query.
    ///   - headers: Headers to add to the request. `Sec-WebSocket-Protocol` is among them.
    /// - Returns: The open socket.
    /// - Throws: ``HandshakeFailure``, or any other error if the server cannot be reached.
    func connect(to url: String, headers: [(name: String, value: String)]) async throws -> any ChatSocket

    /// Sends a request and waits for the whole response. Redirects are not followed.
    /// - Parameter request: The request.
    /// - Returns: The response, whatever its status.
    /// - Throws: Any error if the server cannot be reached or does not respond.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}

/// An open WebSocket.
public protocol ChatSocket: Sendable {
    /// Sends a text frame.
    ///
    /// One task at a time calls this method. It returns when the frame was passed to the network, which bounds the send
    /// queue.
    /// - Parameter text: The content of the frame.
    func send(_ text: String) async throws

    /// Waits for events and returns all that arrived since the last call, at least one.
    ///
    /// One task at a time calls this method. The last event of a socket is `closed`.
    func receive() async -> [SocketEvent]

    /// Closes the socket. Later, `receive()` returns `closed`, even if the server does not reply.
    /// - Parameter code: The close code to send.
    func close(code: Int) async
}

/// An event on a socket.
public enum SocketEvent: Hashable, Sendable {
    /// A text frame in UTF-8.
    case text([UInt8])
    /// A ping or another sign of life. Reporting it is optional; the socket answers pings itself.
    case activity
    /// The socket is closed. The code is that of the server's close frame, if there was one.
    case closed(code: Int?)
}

/// The error of a handshake that the server answered with a status other than 101.
public struct HandshakeFailure: Error, Hashable, Sendable {
    /// The HTTP status.
    public let status: Int
    /// The value of `Retry-After` in seconds, if present.
    public let retryAfter: Int?

    /// Creates a handshake failure.
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - retryAfter: The value of `Retry-After` in seconds.
    public init(status: Int, retryAfter: Int?) {
        self.status = status
        self.retryAfter = retryAfter
    }
}

/// An HTTP request.
public struct TransportRequest: Sendable {
    /// The method, for example `GET`.
    public let method: String
    /// The `http://` or `https://` URL with path and query, percent-encoded.
    public let url: String
    /// The header fields.
    public let headers: [(name: String, value: String)]
    /// The body, which may be empty.
    public let body: [UInt8]

    /// Creates a request.
    /// - Parameters:
    ///   - method: The method, for example `GET`.
    ///   - url: The percent-encoded URL.
    ///   - headers: The header fields.
    ///   - body: The body, which may be empty.
    public init(method: String, url: String, headers: [(name: String, value: String)], body: [UInt8]) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// The response to an HTTP request.
public struct TransportResponse: Sendable {
    /// The HTTP status.
    public let status: Int
    /// The header fields.
    public let headers: [(name: String, value: String)]
    /// The body, which may be empty.
    public let body: [UInt8]

    /// Creates a response.
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - headers: The header fields.
    ///   - body: The body, which may be empty.
    public init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns the first value of a header field.
    /// - Parameter name: The name of the field, compared without regard to case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
