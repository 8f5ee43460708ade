import NIOCore
import NIOHTTP1
package import ParleyJSON

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
    private let isLenient: Bool

    /// - Parameters:
    ///   - url: `http://HOST:PORT` or `https://…`.
    ///   - isLenient: skips certificate validation.
    package init(url: String, apiKey: String, isLenient: Bool) throws {
        endpoint = try Endpoint(url)
        self.apiKey = apiKey
        self.isLenient = isLenient
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
        let client = RESTClient(isLenient: isLenient)
        let type = json == nil ? [] : [("Content-Type", "application/json")]
        let result: Result<RESTReply, any Error>
        do {
            result = .success(
                try await client.call(
                    method, path, at: endpoint, headers: [("Authorization", "Bearer \(apiKey)")] + headers + type,
                    body: json.map { ByteBuffer(string: $0) }, timeout: .seconds(20)))
        } catch {
            result = .failure(error)
        }
        await client.shutDown()
        let reply = try result.get()
        return Reply(
            status: reply.status, body: try? JSONTree(parsing: reply.body.readableBytesView),
            text: String(buffer: reply.body))
    }
}
