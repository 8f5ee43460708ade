import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ParleyAccounts
import ParleyGateway
import ParleyTestSupport
import ServiceLifecycle
import Testing

/// A gateway on real sockets of this machine: the HTTP server with its gate, and in place of the router an echo.
struct Node: Sendable {
    let port: Int
    let inside: GatewayDependencies
    let group: MultiThreadedEventLoopGroup
    private let services: ServiceGroup

    /// Runs a node while `body` runs; then it is cut off, whatever is open.
    static func run<Value: Sendable>(
        loops count: Int = 2, _ adjust: (inout GatewaySettings) -> Void = { _ in },
        fault: PlantedFault.Order? = nil,
        accounts: (inout AccountSettings) throws -> Void = { _ in },
        _ body: @Sendable (Node) async throws -> Value
    ) async throws -> Value {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: count)
        let inside = try await GatewayDependencies(
            loops: Array(group.makeIterator()), adjust, fault: fault, accounts: accounts)
        let value = try await inside.whileRunning {
            let ports = Mailbox<Int>(of: "port of the server")
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let server = try HTTPServerBuilder { inside.gateway.channel(for: $0) }
                .buildServer(
                    configuration: ServerConfiguration(
                        address: .hostname("127.0.0.1", port: 0), backlog: 1024, reuseAddress: true),
                    eventLoopGroup: group, logger: logger,
                    responder: { request, writer, _ in try await echo(request, writer) },
                    onServerRunning: { channel in ports.put(channel.localAddress?.port ?? 0) })
            let services = ServiceGroup(configuration: .init(services: [.init(service: server)], logger: logger))
            return try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try? await services.run() }
                let port = try await ports.take(within: .patience) ?? 0
                let value: Value
                do {
                    value = try await body(Node(port: port, inside: inside, group: group, services: services))
                } catch {
                    tasks.cancelAll()
                    throw error
                }
                tasks.cancelAll()
                return value
            }
        }
        try await group.shutdownGracefully()
        return value
    }

    /// Responds with the request's method, path and body; with 404 for `/missing` and for the paths of the WebSocket
    /// endpoint.
    private static func echo(_ request: Request, _ writer: consuming ResponseWriter) async throws {
        let body = try await request.body.collect(upTo: 1 << 20)
        let isMissing = ["/missing", "/chat"].contains(request.uri.path)
        let text = "\(request.method) \(request.uri.path) \(String(buffer: body))"
        let response = ByteBuffer(string: text)
        var writer = try await writer.writeHead(
            HTTPResponse(
                status: isMissing ? .notFound : .ok, headerFields: [.contentLength: "\(response.readableBytes)"]))
        try await writer.write(response)
        try await writer.finish(nil)
    }

    /// Drains and shuts down as SIGTERM does.
    func shutDown() async {
        inside.gateway.beginDrain()
        await services.triggerGracefulShutdown()
    }

    // MARK: Clients

    func socket(
        _ person: Person, _ subprotocols: String..., offersCompression: Bool = false
    ) async throws -> TestSocket {
        try await TestSocket.connect(
            port: port, headers: person.cookie, subprotocols: subprotocols, offersCompression: offersCompression)
    }

    func connection() async throws -> RawConnection {
        try await RawConnection.connect(port: port)
    }

    /// The text of a handshake.
    func handshake(
        _ person: Person, path: String = "/chat", without: Set<String> = [], _ more: String = ""
    ) -> String {
        let headers = [
            "Host: 127.0.0.1:\(port)", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
            "Cookie: sessionid=\(person.token)",
        ]
        let kept = headers.filter { line in !without.contains { line.lowercased().hasPrefix("\($0):") } }
        return "GET \(path) HTTP/1.1\r\n" + kept.map { $0 + "\r\n" }.joined() + more + "\r\n"
    }

    /// Waits until no connection is open and nothing is counted any more.
    func isEmpty() async throws {
        await inside.gateway.connectionsClosed()
        try #require(try await eventually { inside.gateway.counts.sockets == 0 }, "sockets counted 0")
    }
}
