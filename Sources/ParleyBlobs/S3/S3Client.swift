import NIOCore
import NIOHTTP1
import NIOSSL
import ParleyModel

/// Sends signed requests to one bucket.
struct S3Client: Sendable {
    /// Maximum size of a response that is read whole: a list of a thousand keys, or an error.
    private static let maximumResponse = 1_048_576
    /// Maximum time for a request whose response is read whole.
    private static let maximumTime = TimeAmount.minutes(10)
    /// How long an address for downloads is valid.
    private static let addressSeconds = 300

    let settings: S3Settings
    private let signer: S3Signer
    private let clock: WallClock
    private let tls: NIOSSLContext?

    init(_ settings: S3Settings, clock: WallClock) throws {
        self.settings = settings
        self.clock = clock
        signer = S3Signer(region: settings.region, accessKey: settings.accessKey, secretKey: settings.secretKey)
        tls = settings.isTLS ? try NIOSSLContext(configuration: .makeClientConfiguration()) : nil
    }

    /// A complete response.
    struct Reply: Sendable {
        let status: Int
        let headers: HTTPHeaders
        let body: [UInt8]
    }

    /// Sends a request and reads its response.
    /// - Parameter allowed: statuses above 299 that are no errors.
    func call(_ request: S3Request, allowing allowed: Set<Int> = []) async throws(BlobError) -> Reply {
        let exchange = try await open(request, within: Self.maximumTime)
        defer { exchange.close() }
        let status = Int(exchange.head.status.code)
        let body = request.method == "HEAD" ? [] : try await exchange.collect(upTo: Self.maximumResponse)
        guard (200..<300).contains(status) || allowed.contains(status) else { throw Self.failure(status, body) }
        return Reply(status: status, headers: exchange.head.headers, body: body)
    }

    /// Sends a request, whose response is then read piece by piece.
    func stream(_ request: S3Request) async throws(BlobError) -> HTTPExchange {
        let exchange = try await open(request, within: nil)
        let status = Int(exchange.head.status.code)
        guard (200..<300).contains(status) else {
            defer { exchange.close() }
            throw Self.failure(status, try await exchange.collect(upTo: Self.maximumResponse))
        }
        return exchange
    }

    /// An address of an object for clients.
    func address(of key: String, query: [(name: String, value: String)]) -> String {
        let target = target("GET", key, query)
        let path = signer.presigned(target, at: clock.milliseconds, for: Self.addressSeconds)
        return "\(settings.isTLS ? "https" : "http")://\(settings.authority)\(path)"
    }

    private func target(_ method: String, _ key: String, _ query: [(name: String, value: String)]) -> S3Signer.Target {
        S3Signer.Target(
            method: method, host: settings.authority, path: "/\(settings.bucket)" + (key.isEmpty ? "" : "/\(key)"),
            query: query)
    }

    private func open(_ request: S3Request, within limit: TimeAmount?) async throws(BlobError) -> HTTPExchange {
        let target = target(request.method, request.key, request.query)
        var headers = HTTPHeaders([("host", settings.authority), ("content-length", "\(request.body.count)")])
        for (name, value) in request.headers { headers.add(name: name, value: value) }
        let signed = signer.headers(for: target, bodySum: S3Signer.sum(request.body), at: clock.milliseconds)
        for (name, value) in signed { headers.add(name: name, value: value) }
        let head = HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: request.method), uri: S3Signer.uri(of: target),
            headers: headers)
        return try await HTTPExchange.send(
            head, body: request.body, to: settings.host, port: settings.port, tls: tls, within: limit)
    }

    /// - Parameter body: XML with a code that is worth logging.
    private static func failure(_ status: Int, _ body: [UInt8]) -> BlobError {
        let code = XMLText.values(of: "Code", in: body).first ?? ""
        if status == 404, code != "NoSuchBucket" { return .lost }
        return .unavailable("the storage answered \(status) \(code.prefix(64))")
    }
}

/// The few texts that are needed of S3's XML, which is flat and has no attributes where it matters.
enum XMLText {
    /// The contents of all elements of a name, in order.
    static func values(of name: String, in bytes: [UInt8]) -> [String] {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.split(separator: "<\(name)>", omittingEmptySubsequences: false).dropFirst().compactMap { rest in
            rest.firstRange(of: "</\(name)>").map { unescaped(rest[..<$0.lowerBound]) }
        }
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    private static func unescaped(_ text: Substring) -> String {
        String(text)
            .replacing("&quot;", with: "\"").replacing("&#34;", with: "\"").replacing("&lt;", with: "<")
            .replacing("&gt;", with: ">").replacing("&amp;", with: "&")
    }
}
