import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import ParleyModel

/// Sends signed requests to one bucket.
struct S3Client: Sendable {
    /// The maximum size of a response that is read completely: a list of a thousand keys, or an error.
    private static let maximumResponse = 1_048_576
    /// The validity of a download URL in seconds.
    private static let addressSeconds = 300

    /// The client of the process, which is never shut down. A request to a storage that is silent for a minute fails.
    private static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(10), read: .seconds(60), write: .seconds(60)),
            decompression: .disabled)
        configuration.httpVersion = .http1Only
        // A download keeps its connection for as long as its reader takes. An idle connection is closed before the
        // storage closes it.
        configuration.connectionPool = .init(
            idleTimeout: .seconds(5), concurrentHTTP1ConnectionsPerHostSoftLimit: 1000)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.guardStatus()
        return HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }()

    let settings: S3Settings
    private let signer: S3Signer
    private let clock: WallClock
    private let timeLimit: Duration

    /// - Parameter timeLimit: The maximum time for the head of a response, and for a response that is read completely.
    init(_ settings: S3Settings, clock: WallClock, timeLimit: Duration) {
        self.settings = settings
        self.clock = clock
        self.timeLimit = timeLimit
        signer = S3Signer(region: settings.region, accessKey: settings.accessKey, secretKey: settings.secretKey)
    }

    /// A complete response.
    struct Reply: Sendable {
        let status: Int
        let headers: HTTPHeaders
        let body: ByteBuffer

        var bytes: [UInt8] { Array(body.readableBytesView) }
    }

    /// Sends a request and reads its response.
    /// - Parameter allowed: Statuses above 299 that are not errors.
    func call(_ request: S3Request, allowing allowed: Set<Int> = []) async throws(BlobError) -> Reply {
        let reply = try await limited {
            let response = try await send(request)
            let body = try await response.body.collect(upTo: Self.maximumResponse)
            return Reply(status: Int(response.status.code), headers: response.headers, body: body)
        }
        guard (200..<300).contains(reply.status) || allowed.contains(reply.status) else { throw Self.failure(reply) }
        return reply
    }

    /// Sends a request. The response is read piece by piece, at the speed of its consumer.
    func stream(_ request: S3Request) async throws(BlobError) -> HTTPClientResponse {
        let response = try await limited { try await send(request) }
        guard (200..<300).contains(response.status.code) else {
            throw Self.failure(
                try await limited {
                    let body = try await response.body.collect(upTo: Self.maximumResponse)
                    return Reply(status: Int(response.status.code), headers: response.headers, body: body)
                })
        }
        return response
    }

    /// Returns the URL of an object for clients.
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

    private func send(_ request: S3Request) async throws -> HTTPClientResponse {
        let target = target(request.method, request.key, request.query)
        var sent = HTTPClientRequest(
            url: "\(settings.isTLS ? "https" : "http")://\(settings.authority)\(S3Signer.uri(of: target))")
        sent.method = HTTPMethod(rawValue: request.method)
        for (name, value) in request.headers { sent.headers.add(name: name, value: value) }
        let signed = signer.headers(for: target, bodySum: S3Signer.sum(request.body), at: clock.milliseconds)
        for (name, value) in signed { sent.headers.add(name: name, value: value) }
        if !request.body.isEmpty { sent.body = .bytes(request.body) }
        return try await Self.http.execute(sent, deadline: .distantFuture)
    }

    private func limited<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws(BlobError) -> Value {
        do {
            return try await withThrowingTaskGroup(of: Value.self) { group in
                group.addTask(operation: body)
                group.addTask { [timeLimit] in
                    try await Task.sleep(for: timeLimit)
                    throw BlobError.unavailable("the storage has not answered within \(timeLimit)")
                }
                defer { group.cancelAll() }
                guard let value = try await group.next() else { throw CancellationError() }
                return value
            }
        } catch let error as BlobError {
            throw error
        } catch {
            throw .unavailable("\(settings.authority): \(error)")
        }
    }

    /// - Parameter reply: A response whose XML body contains an error code to log.
    private static func failure(_ reply: Reply) -> BlobError {
        let code = XMLText.values(of: "Code", in: reply.bytes).first ?? ""
        if reply.status == 404, code != "NoSuchBucket" { return .lost }
        return .unavailable("the storage answered \(reply.status) \(code.prefix(64))")
    }
}

/// Reads the texts that are needed from S3's XML. The relevant elements are flat and have no attributes.
enum XMLText {
    /// Returns the contents of all elements with a name, in order.
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
