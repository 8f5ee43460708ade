import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import ParleyAccounts
import ParleyBlobs

/// Sends the requests of the login at an OpenID provider.
struct ProviderClient: ProviderRequests {
    /// The client of the process, which is never shut down. A provider is asked seldom, so connections are few.
    private static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(5), read: .seconds(5), write: .seconds(5)), decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.connectionPool = .init(idleTimeout: .seconds(5), concurrentHTTP1ConnectionsPerHostSoftLimit: 16)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.guardStatus()
        return HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }()

    func answer(to request: ProviderRequest) async throws(ProviderError) -> ProviderAnswer {
        do {
            return try await withThrowingTaskGroup(of: ProviderAnswer.self) { group in
                group.addTask { try await Self.send(request) }
                // The client's own deadline is met by the head of the response.
                group.addTask {
                    try await Task.sleep(for: ProviderRequest.timeLimit)
                    throw ProviderError.unavailable(
                        "\(request.address.text) has not answered within \(ProviderRequest.timeLimit)")
                }
                defer { group.cancelAll() }
                guard let answer = try await group.next() else { throw CancellationError() }
                return answer
            }
        } catch let error as ProviderError {
            throw error
        } catch is NIOTooManyBytesError {
            throw .unavailable("\(request.address.text) answered more than \(ProviderRequest.maximumBytes) bytes")
        } catch {
            throw .unavailable("\(request.address.text): \(error)")
        }
    }

    private static func send(_ request: ProviderRequest) async throws -> ProviderAnswer {
        var sent = HTTPClientRequest(url: request.address.text)
        sent.headers.add(name: "Accept", value: "application/json")
        sent.headers.add(name: "User-Agent", value: "parley/\(Version.text)")
        if let authorization = request.authorization { sent.headers.add(name: "Authorization", value: authorization) }
        if let form = request.form {
            sent.method = .POST
            sent.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
            sent.body = .bytes(ByteBuffer(string: form))
        }
        let response = try await http.execute(sent, deadline: .distantFuture)
        let body = try await response.body.collect(upTo: ProviderRequest.maximumBytes)
        return ProviderAnswer(status: Int(response.status.code), body: Array(body.readableBytesView))
    }
}
