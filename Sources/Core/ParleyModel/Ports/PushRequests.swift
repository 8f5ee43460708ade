/// Sends HTTP requests to the push services of Apple, Google and browsers.
///
/// An implementation must not follow redirects, must read at most `PushRequest.maximumAnswer` bytes of a body, and must
/// answer or fail within `PushRequest.timeLimit`. To a `stranger` it may connect at public addresses only.
package protocol PushRequests: Sendable {
    /// Sends a `POST`, over HTTP/2 if the service offers it.
    /// - Throws: Without a status: no connection, no response in time, or a host that is not allowed.
    func answer(to request: PushRequest) async throws(PushRequestError) -> PushAnswer
}

package struct PushRequest: Sendable {
    /// A URL that a user has supplied, in parts, so that its check and the HTTP client cannot disagree about the host.
    package struct Stranger: Hashable, Sendable {
        package let isTLS: Bool
        /// A name in lower case, or an address without brackets.
        package let host: String
        package let port: Int
        /// The path and the query, beginning with `/`.
        package let target: String

        package init(isTLS: Bool, host: String, port: Int, target: String) {
            self.isTLS = isTLS
            // The client looks for the address of the host by the text in the URL.
            self.host = host.lowercased()
            self.port = port
            self.target = target
        }

        package var url: String {
            "\(isTLS ? "https" : "http")://\(host.utf8.contains(0x3A) ? "[\(host)]" : host):\(port)\(target)"
        }
    }

    package struct Header: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The number of bytes of a response's body that are read; the rest is dropped.
    package static let maximumAnswer = 16_384
    /// The time in which the response must be complete.
    package static let timeLimit = Duration.seconds(10)

    package let url: String
    /// The parts of `url` if a user has supplied it; `nil` for the services that the operator has set.
    package let stranger: Stranger?
    package let headers: [Header]
    package let body: [UInt8]

    /// A request to a service that the operator has set.
    package init(_ url: String, headers: [Header], body: [UInt8]) {
        self.url = url
        stranger = nil
        self.headers = headers
        self.body = body
    }

    package init(_ stranger: Stranger, headers: [Header], body: [UInt8]) {
        url = stranger.url
        self.stranger = stranger
        self.headers = headers
        self.body = body
    }

    /// The value of the first header with this name, which is in lower case.
    package subscript(name: String) -> String? {
        headers.first { $0.name == name }?.value
    }
}

package struct PushAnswer: Sendable {
    package let status: Int
    /// The header `Retry-After`.
    package let retryAfter: String?
    /// The first `PushRequest.maximumAnswer` bytes.
    package let body: [UInt8]
    /// Whether the response came over HTTP/2.
    package let isHTTP2: Bool

    package init(status: Int, retryAfter: String? = nil, body: [UInt8] = [], isHTTP2: Bool = false) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = body
        self.isHTTP2 = isHTTP2
    }
}

/// A push service has given no response. The text is for the log.
package struct PushRequestError: Error, Hashable, Sendable {
    package let explanation: String
    /// Whether the host is one that must not be connected to, so that a later attempt is in vain.
    package let isRefusal: Bool

    package init(_ explanation: String, isRefusal: Bool = false) {
        self.explanation = explanation
        self.isRefusal = isRefusal
    }
}
