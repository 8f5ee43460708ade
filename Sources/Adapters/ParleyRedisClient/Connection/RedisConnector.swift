import NIOCore
import NIOSSL

/// Opens the connections of one owner. Owned by an event loop; the TLS files are read once.
final class RedisConnector {
    private let transport: any RedisTransport
    private let eventLoop: any EventLoop
    private let tls: RedisTLS?
    private let timeout: Duration
    private var context: NIOSSLContext?

    init(_ transport: any RedisTransport, _ tls: RedisTLS?, eventLoop: any EventLoop, timeout: Duration) {
        self.transport = transport
        self.tls = tls
        self.eventLoop = eventLoop
        self.timeout = timeout
    }

    /// Opens a connection.
    /// - Parameter receiver: The receiver of the bytes; a `ReplyReceiver`, for example.
    func open(_ endpoint: RedisEndpoint, _ receiver: any RedisReceiver) {
        var encryption: RedisEncryption?
        if let tls {
            do {
                let context = try self.context ?? tls.context()
                self.context = context
                encryption = RedisEncryption(context: context, serverName: Self.serverName(endpoint))
            } catch {
                return receiver.ended("\(error)")
            }
        }
        transport.connect(to: endpoint, encryption: encryption, timeout: timeout, on: eventLoop, receiver)
    }

    /// Returns the name that the certificate must contain; `nil` for an IP address, which NIOSSL checks as such.
    private static func serverName(_ endpoint: RedisEndpoint) -> String? {
        guard case .tcp(let host, _) = endpoint, (try? SocketAddress(ipAddress: host, port: 0)) == nil else {
            return nil
        }
        return host
    }
}

/// The settings of an encrypted connection.
package struct RedisEncryption: Sendable {
    let context: NIOSSLContext
    /// The name that the server's certificate must contain, if the name is checked.
    let serverName: String?
}
