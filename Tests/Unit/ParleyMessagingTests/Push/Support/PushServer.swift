import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import NIOTLS
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
                    try pipeline.addHandler(
                        ApplicationProtocolNegotiationHandler { result, channel in
                            channel.eventLoop.makeCompletedFuture {
                                try server.configure(channel, isHTTP2: result == .negotiated("h2"))
                            }
                        })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        server.channel.withLock { $0 = channel }
        return server
    }

    private func configure(_ channel: any Channel, isHTTP2: Bool) throws {
        let pipeline = channel.pipeline.syncOperations
        guard isHTTP2 else {
            try pipeline.configureHTTPServerPipeline()
            return try pipeline.addHandler(Handler(self))
        }
        _ = try pipeline.configureHTTP2Pipeline(
            mode: .server, connectionConfiguration: .init(), streamConfiguration: .init()
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(HTTP2FramePayloadToHTTP1ServerCodec())
                try stream.pipeline.syncOperations.addHandler(Handler(self))
            }
        }
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
            // Empty frames that do not end their streams are taken for an attack by clients of HTTP/2.
            if !body.isEmpty {
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
            }
            if server.delivery != .silent { context.write(wrapOutboundOut(.end(nil)), promise: nil) }
            context.flush()
        }
    }
}

/// A certificate for localhost and push.example, which is used nowhere else. It does not name 127.0.0.1, because NIOSSL
/// also accepts a certificate that names the address of the connection.
enum TestTLS {
    static func server() throws -> TLSConfiguration {
        let certificate = try NIOSSLCertificate(bytes: Array(certificate.utf8), format: .pem)
        let key = try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(certificate)], privateKey: .privateKey(key))
        configuration.applicationProtocols = ["h2", "http/1.1"]
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
        MIIBkDCCATagAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
        c3QwIBcNMjYxMTI4MTQ0MDQzWhgPMjExOTEyMzExNDQwNDNaMBQxEjAQBgNVBAMM
        CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDjai2KUN6s8HQKa
        Jih5rqhv9qnDpcerIrnUYKQTpmYsaxpz6doCmcErLS8IKNyW6kf2Ufj+aNPPLT3u
        K6tSexijdzB1MB0GA1UdDgQWBBQzKslVMaRMUVb+Bez0lQLYtAsldjAfBgNVHSME
        GDAWgBQzKslVMaRMUVb+Bez0lQLYtAsldjAPBgNVHRMBAf8EBTADAQH/MCIGA1Ud
        EQQbMBmCCWxvY2FsaG9zdIIMcHVzaC5leGFtcGxlMAoGCCqGSM49BAMCA0gAMEUC
        IA9ZZzu5eWUKxoDizTBGKlb0wksD8CzpyeiyMUuv06c0AiEAgxnS5uVOnFXfAXKu
        Ajo0vy4aKzqOQEl7hLWx6yzBuEo=
        -----END CERTIFICATE-----
        """

    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg16HmdmC1jBR4+Qlx
        /V3Ykkbsu866nk7D8MNf5yLZGOmhRANCAAQ42otilDerPB0CmiYoea6ob/apw6XH
        qyK51GCkE6ZmLGsac+naApnBKy0vCCjclupH9lH4/mjTzy097iurUnsY
        -----END PRIVATE KEY-----
        """
}
