// The condition PARLEY_URLSESSION compiles this file on Linux, where a test checks it and the library does without it.
#if !os(Linux) || PARLEY_URLSESSION
    import Foundation

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// A transport on URLSession. The system answers pings.
    public struct URLSessionTransport: ChatTransport {
        private let session: URLSession

        /// Creates a transport with its own session, without cookies and caches.
        public init() {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpCookieStorage = nil
            configuration.urlCache = nil
            configuration.timeoutIntervalForRequest = 30
            session = URLSession(configuration: configuration)
        }

        /// Opens a WebSocket.
        public func connect(
            to url: String, headers: [(name: String, value: String)]
        ) async throws -> any ChatSocket {
            guard let address = URL(string: url) else { throw ChatError.invalid(.address, "\(url) is not an address") }
            var request = URLRequest(url: address)
            for header in headers { request.setValue(header.value, forHTTPHeaderField: header.name) }
            let socket = URLSessionSocket(session.webSocketTask(with: request))
            try await socket.open()
            return socket
        }

        /// Sends a request.
        public func send(_ request: TransportRequest) async throws -> TransportResponse {
            guard let address = URL(string: request.url) else {
                throw ChatError.invalid(.address, "\(request.url) is not an address")
            }
            var call = URLRequest(url: address)
            call.httpMethod = request.method
            for header in request.headers { call.setValue(header.value, forHTTPHeaderField: header.name) }
            if !request.body.isEmpty { call.httpBody = Data(request.body) }
            let (body, response) = try await session.data(for: call, delegate: NoRedirects())
            guard let response = response as? HTTPURLResponse else { throw ChatError.noAnswer("not HTTP") }
            let headers = response.allHeaderFields.compactMap { name, value in
                (name as? String).map { (name: $0, value: "\(value)") }
            }
            return TransportResponse(status: response.statusCode, headers: headers, body: Array(body))
        }
    }

    /// Refuses redirects, so that the caller receives them as responses.
    private final class NoRedirects: NSObject, URLSessionTaskDelegate, Sendable {
        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }
    }

    /// A WebSocket of URLSession.
    private final class URLSessionSocket: NSObject, ChatSocket, URLSessionWebSocketDelegate, Sendable {
        private let task: URLSessionWebSocketTask
        private let events = IncomingEvents()
        /// Whether reading is paused, because too many events were not received yet.
        private let isPaused = Locked(false)
        private let (opened, opening) = AsyncStream.makeStream(of: (any Error)?.self)

        init(_ task: URLSessionWebSocketTask) {
            self.task = task
            super.init()
            task.delegate = self
            task.maximumMessageSize = 8 << 20
        }

        /// Waits for the response to the handshake.
        func open() async throws {
            task.resume()
            for await failure in opened {
                if let failure { throw failure }
                read()
                return
            }
            throw CancellationError()
        }

        func send(_ text: String) async throws { try await task.send(.string(text)) }

        func receive() async -> [SocketEvent] {
            let received = await events.receive()
            let wasPaused = isPaused.withLock { isPaused in
                defer { isPaused = false }
                return isPaused
            }
            if wasPaused { read() }
            return received
        }

        func close(code: Int) async {
            task.cancel(with: URLSessionWebSocketTask.CloseCode(rawValue: code) ?? .normalClosure, reason: nil)
            end()
        }

        private func read() {
            task.receive { [weak self] result in
                guard let self else { return }
                switch result {
                case .success(.string(let text)):
                    // Pauses before appending: `receive` may take the event immediately, and then continues reading
                    // itself.
                    isPaused.withLock { $0 = true }
                    guard events.append(.text(Array(text.utf8))) else { return }
                    let isStillPaused = isPaused.withLock { isPaused in
                        defer { isPaused = false }
                        return isPaused
                    }
                    if isStillPaused { read() }
                case .success: read()
                case .failure: end()
                }
            }
        }

        private func end() {
            let code = task.closeCode
            events.append(.closed(code: code == .invalid ? nil : code.rawValue))
        }

        func urlSession(
            _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?
        ) {
            opening.yield(nil)
        }

        func urlSession(
            _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
            didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
        ) {
            // The messages before the close frame are still to be received. Then `receive` fails, which ends the socket.
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            if let response = task.response as? HTTPURLResponse, response.statusCode != 101 {
                let retryAfter = response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
                opening.yield(HandshakeFailure(status: response.statusCode, retryAfter: retryAfter))
            } else {
                opening.yield(error ?? URLError(.networkConnectionLost))
            }
            end()
        }
    }
#endif
