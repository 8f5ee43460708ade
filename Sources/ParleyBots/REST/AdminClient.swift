import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
package import ParleyJSON
import ParleyModel

/// A REST client with operator rights, for commands that make a few calls.
package struct AdminClient: Sendable {
    /// A response.
    package struct Reply: Sendable {
        package let status: Int
        /// `nil` if it is not JSON.
        package let body: JSONTree?
        package let text: String
    }

    private let endpoint: Endpoint
    private let apiKey: String
    private let tls: NIOSSLContext?

    /// - Parameters:
    ///   - url: `http://HOST:PORT` or `https://…`.
    ///   - isLenient: skips certificate validation.
    package init(url: String, apiKey: String, isLenient: Bool) throws {
        endpoint = try Endpoint(url)
        self.apiKey = apiKey
        tls = endpoint.isTLS ? try TLS.context(isLenient: isLenient) : nil
    }

    package func get(_ path: String) async throws -> Reply {
        try await call(.GET, path, headers: [], json: nil)
    }

    /// - Parameter user: the user for whom the key acts.
    package func post(
        _ path: String, as user: String, headers: [(String, String)], json: String
    ) async throws -> Reply {
        try await call(.POST, path, headers: headers + [("X-Parley-User", user)], json: json)
    }

    private func call(
        _ method: HTTPMethod, _ path: String, headers: [(String, String)], json: String?
    ) async throws -> Reply {
        let connection = try await RESTConnection.open(
            endpoint, headers: HTTPHeaders([("Authorization", "Bearer \(apiKey)")] + headers), tls: tls,
            on: MultiThreadedEventLoopGroup.singleton.next())
        let reply = try await connection.call(
            method, path, body: json.map { ByteBuffer(string: $0) }, contentType: "application/json",
            timeout: .seconds(20))
        await connection.close()
        return Reply(
            status: reply.status, body: try? JSONTree(parsing: reply.body.readableBytesView),
            text: String(buffer: reply.body))
    }
}
