/// A plain HTTP/1.1 client: one connection per request, no cookies, no redirects, no headers added but `Host`,
/// `Connection: close` and the length of the body.
package struct HTTPClient: Sendable {
    package typealias Headers = [(name: String, value: String)]

    package let port: Int
    /// Sent with every request, before the request's own headers.
    package var headers: Headers

    package init(port: Int, headers: Headers = []) {
        self.port = port
        self.headers = headers
    }

    /// Sends a request and reads the whole response.
    /// - Throws: ``TimedOut``, ``HTTPReplyParser/Malformed``, or system errors.
    package func send(
        _ method: String, _ target: String, headers: Headers = [], body: [UInt8]? = nil,
        within limit: Duration = .patience
    ) async throws -> HTTPReply {
        let connection = try await RawConnection.connect(port: port)
        var all: Headers = [("Host", "127.0.0.1:\(port)"), ("Connection", "close")] + self.headers + headers
        if let body { all.append(("Content-Length", "\(body.count)")) }
        let head = "\(method) \(target) HTTP/1.1\r\n" + all.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n"
        try await connection.send(Array(head.utf8) + (body ?? []))
        let reply = try await Self.readReply(from: connection, isHead: method == "HEAD", within: limit)
        await connection.close()
        return reply
    }

    package func get(_ target: String, headers: Headers = []) async throws -> HTTPReply {
        try await send("GET", target, headers: headers)
    }

    /// A POST with a form body, as a browser or an iOS client sends it.
    package func post(_ target: String, form: KeyValuePairs<String, String>, headers: Headers = []) async throws
        -> HTTPReply
    {
        let text = form.map { "\(Self.escape($0.key))=\(Self.escape($0.value))" }.joined(separator: "&")
        let type = [(name: "Content-Type", value: "application/x-www-form-urlencoded")]
        return try await send("POST", target, headers: type + headers, body: Array(text.utf8))
    }

    package func post(_ target: String, json: JSONValue, headers: Headers = []) async throws -> HTTPReply {
        let type = [(name: "Content-Type", value: "application/json")]
        return try await send("POST", target, headers: type + headers, body: Array(json.text.utf8))
    }

    /// Percent-encodes everything but unreserved characters (RFC 3986 §2.3), for forms and queries alike.
    package static func escape(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "~"):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                escaped += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return escaped
    }

    /// Reads one response from `connection`.
    package static func readReply(
        from connection: RawConnection, isHead: Bool = false, within limit: Duration = .patience
    ) async throws -> HTTPReply {
        let deadline = ContinuousClock.now + limit
        var parser = HTTPReplyParser(isHead: isHead)
        while true {
            let chunk = try await connection.read(within: ContinuousClock.now.duration(to: deadline))
            let step = if let chunk { try parser.feed(chunk) } else { try parser.finish() }
            switch step {
            case .more: continue
            case .complete(let reply, _), .upgraded(let reply, _): return reply
            }
        }
    }
}
