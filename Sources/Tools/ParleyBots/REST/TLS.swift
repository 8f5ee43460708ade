import NIOCore
import NIOSSL

/// Client-side TLS.
enum TLS {
    static func configuration(isLenient: Bool) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        if isLenient { configuration.certificateVerification = .none }
        return configuration
    }

    static func context(isLenient: Bool) throws -> NIOSSLContext {
        try NIOSSLContext(configuration: configuration(isLenient: isLenient))
    }

    static func handler(_ context: NIOSSLContext, host: String) throws -> NIOSSLClientHandler {
        // An IP address is not a server name (RFC 6066 §3).
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host)
    }
}
