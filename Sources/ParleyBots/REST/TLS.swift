import NIOCore
import NIOSSL

/// Client-side TLS.
enum TLS {
    static func context(isLenient: Bool) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        if isLenient { configuration.certificateVerification = .none }
        return try NIOSSLContext(configuration: configuration)
    }

    static func handler(_ context: NIOSSLContext, host: String) throws -> NIOSSLClientHandler {
        // An IP address is not a server name (RFC 6066 §3).
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host)
    }
}
