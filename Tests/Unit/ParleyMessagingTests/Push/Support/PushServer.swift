import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import ParleyModel
import Synchronization

/// `PushServices` behind a socket of 127.0.0.1: TLS with HTTP/2, or HTTP/1.1 in plain text.
final class PushServer: Sendable {
    /// The form of responses.
    enum Delivery: Sendable {
        case whole
        /// A head, and then nothing.
        case silent
        /// A body of a mebibyte.
        case long
        /// A redirect to `/elsewhere`.
        case redirect
    }

    let services: PushServices
    private let origin: String
    private let delivery: Delivery
    private let channel = Mutex<(any Channel)?>(nil)
    private let connections = Mutex(0)

    private init(_ services: PushServices, origin: String, delivery: Delivery) {
        self.services = services
        self.origin = origin
        self.delivery = delivery
    }

    var port: Int { channel.withLock { $0?.localAddress?.port } ?? 0 }
    /// The number of connections that were opened.
    var opened: Int { connections.withLock { $0 } }

    /// - Parameters:
    ///   - isTLS: Whether to speak HTTP/2 over TLS with the certificate of the tests.
    ///   - name: The host in the audience of tokens.
    static func start(
        _ services: PushServices, isTLS: Bool, name: String = "localhost", delivery: Delivery = .whole
    ) async throws -> PushServer {
        let server = PushServer(services, origin: "\(isTLS ? "https" : "http")://\(name)", delivery: delivery)
        let tls = try isTLS ? NIOSSLContext(configuration: TestTLS.server()) : nil
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                server.connections.withLock { $0 += 1 }
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    guard let tls else {
                        try pipeline.configureHTTPServerPipeline()
                        return try pipeline.addHandler(Handler(server))
                    }
                    try pipeline.addHandler(NIOSSLServerHandler(context: tls))
                    _ = try pipeline.configureHTTP2Pipeline(
                        mode: .server, connectionConfiguration: .init(), streamConfiguration: .init()
                    ) { stream in
                        stream.eventLoop.makeCompletedFuture {
                            try stream.pipeline.syncOperations.addHandler(HTTP2FramePayloadToHTTP1ServerCodec())
                            try stream.pipeline.syncOperations.addHandler(Handler(server))
                        }
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        server.channel.withLock { $0 = channel }
        return server
    }

    func stop() async {
        try? await channel.withLock { $0 }?.close()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let server: PushServer
        private var head: HTTPRequestHead?
        private var body: [UInt8] = []

        init(_ server: PushServer) { self.server = server }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): (self.head, body) = (head, [])
            case .body(let bytes): body += bytes.readableBytesView
            case .end:
                guard let head else { return }
                let headers = Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
                let origin = server.origin + ":\(server.port)"
                send(server.services.answer(path: head.uri, origin: origin, headers: headers, body: body), context)
            }
        }

        private func send(_ answer: PushAnswer, _ context: ChannelHandlerContext) {
            var headers: HTTPHeaders = [:]
            var status = HTTPResponseStatus(statusCode: answer.status)
            var body = answer.body
            if let wait = answer.retryAfter { headers.add(name: "retry-after", value: wait) }
            switch server.delivery {
            case .long: body = Array(repeating: 0x20, count: 1_048_576)
            case .redirect:
                status = .found
                headers.add(name: "location", value: "/elsewhere")
            case .whole, .silent: break
            }
            headers.add(name: "content-length", value: "\(body.count + (server.delivery == .silent ? 1 : 0))")
            let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
            if server.delivery != .silent { context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil) }
        }
    }
}

/// A certificate for localhost, push.example and 127.0.0.1, which is used nowhere else.
enum TestTLS {
    static func server() throws -> TLSConfiguration {
        let certificate = try NIOSSLCertificate(bytes: Array(certificate.utf8), format: .pem)
        let key = try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(certificate)], privateKey: .privateKey(key))
        configuration.applicationProtocols = ["h2"]
        return configuration
    }

    /// The configuration of a client that trusts it.
    static func client() throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([try NIOSSLCertificate(bytes: Array(certificate.utf8), format: .pem)])
        return configuration
    }

    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBdTCCARugAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
        c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
        CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDEzsxg4am4BMYfl
        AgO7KAfki7/FbltouDZd7Iuyjl5TO6Bfc2+jArpNGKx/dZm2VnYwhBE5iqWvplka
        WD8QkWyjXDBaMCgGA1UdEQQhMB+CCWxvY2FsaG9zdIIMcHVzaC5leGFtcGxlhwR/
        AAABMA8GA1UdEwEB/wQFMAMBAf8wHQYDVR0OBBYEFKoO/LM95QIbavTzMmdx2iOO
        aWc5MAoGCCqGSM49BAMCA0gAMEUCIQDuQXoEjx/xrTqdiN49s9RjjWL22EgIMHrQ
        BJ+PfVOmdwIgGuWrcbshOKunOIJeEGehRG/SPx4Bca3wpVzVNlggHS8=
        -----END CERTIFICATE-----
        """

    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg+/xLjaafOeCZiLTF
        ck7+3dkCc67jAbgrh65ZdrasrAChRANCAAQxM7MYOGpuATGH5QIDuygH5Iu/xW5b
        aLg2XeyLso5eUzugX3NvowK6TRisf3WZtlZ2MIQROYqlr6ZZGlg/EJFs
        -----END PRIVATE KEY-----
        """
}
