import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import ParleyAccounts
import ParleyMessaging
import ParleyPersister
import Synchronization

/// Sends the requests of webhooks.
///
/// A name is resolved here, and its addresses are checked. The connection goes to one of these addresses, so that the name
/// cannot lead elsewhere in between. The certificate has to name the host.
///
/// The clients of the endpoints are protected by a `Mutex`.
final class WebhookClient: WebhookRequests {
    /// The time for a whole request.
    private static let timeLimit = Duration.seconds(15)
    /// The time for which the addresses of a name are used.
    private static let addressLifetime = Duration.seconds(60)

    /// The connections to one endpoint.
    private struct Known {
        let client: HTTPClient
        let address: IPAddress
        let until: ContinuousClock.Instant
    }

    private let networks: WebhookNetworks
    private let clients = Mutex<[String: Known]>([:])

    init(_ networks: WebhookNetworks) {
        self.networks = networks
    }

    func post(_ body: [UInt8], _ headers: WebhookHeaders, to url: WebhookURL) async -> WebhookOutcome {
        do {
            let client = try await client(for: url)
            return try await withThrowingTaskGroup(of: WebhookOutcome.self) { group in
                group.addTask { try await Self.send(body, headers, to: url, with: client) }
                group.addTask {
                    try await Task.sleep(for: Self.timeLimit)
                    return .failed("no answer within \(Self.timeLimit.components.seconds) s")
                }
                defer { group.cancelAll() }
                return try await group.next() ?? .failed("cancelled")
            }
        } catch let refusal as WebhookRefusal {
            return .failed("\(refusal)")
        } catch {
            // Another address may be reached.
            forget(url)
            return .failed(Self.reason(of: error))
        }
    }

    private static func send(
        _ body: [UInt8], _ headers: WebhookHeaders, to url: WebhookURL, with client: HTTPClient
    ) async throws -> WebhookOutcome {
        var request = HTTPClientRequest(url: url.text)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.headers.add(name: "User-Agent", value: "parley/\(Version.text)")
        request.headers.add(name: "webhook-id", value: headers.id)
        request.headers.add(name: "webhook-timestamp", value: headers.timestamp)
        request.headers.add(name: "webhook-signature", value: headers.signature)
        request.body = .bytes(body)
        let response = try await client.execute(request, deadline: .distantFuture)
        let outcome = WebhookOutcome(
            status: Int(response.status.code),
            retryAfter: response.headers.first(name: "Retry-After").flatMap { Int64($0) })
        // A short answer keeps the connection open; its text means nothing.
        _ = try? await response.body.collect(upTo: 65_536)
        return outcome
    }

    private static func reason(of error: any Error) -> String {
        switch error {
        case let error as HTTPClientError: "\(error)".replacing("HTTPClientError.", with: "connection failed: ")
        case is NIOConnectionError: "connection failed"
        default: "connection failed: \(type(of: error))"
        }
    }

    // MARK: Connections

    private func client(for url: WebhookURL) async throws -> HTTPClient {
        let key = "\(url.scheme):\(url.host):\(url.port)"
        if let known = clients.withLock({ $0[key] }), known.until > .now { return known.client }
        let found = if let address = url.address { [address] } else { await Self.addresses(of: url.host) }
        let usable = try networks.usable(found, over: url.scheme)
        let until = ContinuousClock.now + Self.addressLifetime
        let (client, old) = clients.withLock { clients -> (HTTPClient?, HTTPClient?) in
            let known = clients[key]
            if let known, usable.contains(known.address) {
                clients[key] = Known(client: known.client, address: known.address, until: until)
                return (known.client, nil)
            }
            guard let address = usable.randomElement() else { return (nil, nil) }
            // Endpoints come and go; their number is bounded, but that of their URLs over time is not.
            let stale = clients.count > 200 ? clients.first { $0.value.until < .now } : nil
            if let stale { clients[stale.key] = nil }
            let client = Self.make(url, address)
            clients[key] = Known(client: client, address: address, until: until)
            return (client, known?.client ?? stale?.value.client)
        }
        if let old { Self.close(old) }
        guard let client else { throw WebhookRefusal.unresolved }
        return client
    }

    private func forget(_ url: WebhookURL) {
        let old = clients.withLock { $0.removeValue(forKey: "\(url.scheme):\(url.host):\(url.port)") }
        if let old { Self.close(old.client) }
    }

    /// Closes the connections of a client when the requests in progress have ended.
    private static func close(_ client: HTTPClient) {
        Task {
            try? await Task.sleep(for: timeLimit)
            try? await client.shutdown()
        }
    }

    private static func make(_ url: WebhookURL, _ address: IPAddress) -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(5), read: .seconds(15), write: .seconds(15)), decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.connectionPool = .init(idleTimeout: .seconds(30), concurrentHTTP1ConnectionsPerHostSoftLimit: 8)
        configuration.connectionPool.retryConnectionEstablishment = false
        if url.address == nil { configuration.dnsOverride = [url.host: "\(address)"] }
        return HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }

    /// Returns the addresses of a name, as the system resolves it; none if it fails.
    static func addresses(of name: String) async -> [IPAddress] {
        let found = try? await NIOThreadPool.singleton.runIfActive {
            var hints = addrinfo()
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            var list: UnsafeMutablePointer<addrinfo>?
            guard getaddrinfo(name, nil, &hints, &list) == 0 else { return [IPAddress]() }
            defer { freeaddrinfo(list) }
            var (addresses, next) = ([IPAddress](), list)
            while let each = next, addresses.count < 16 {
                var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
                let (address, length) = (each.pointee.ai_addr, each.pointee.ai_addrlen)
                if getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0,
                    let end = text.firstIndex(of: 0)
                {
                    let bytes = text.prefix(upTo: end).map { UInt8(bitPattern: $0) }
                    if let address = IPAddress(String(decoding: bytes, as: UTF8.self)) { addresses.append(address) }
                }
                next = each.pointee.ai_next
            }
            return addresses
        }
        return found ?? []
    }
}
