import NIOSSL

/// How the other end of a TLS connection is checked, and what it is shown; by redis-py's names.
package struct RedisTLS: Hashable, Sendable {
    /// `ssl_cert_reqs` other than `none`: the certificate must be signed by somebody trusted.
    package var verifies = true
    /// `ssl_check_hostname`: the certificate must be for the host that was asked for.
    package var checksHostname = true
    /// `ssl_ca_certs`: a PEM file of who is trusted; `nil`: whom the system trusts.
    package var authorityPath: String?
    /// `ssl_certfile` and `ssl_keyfile`: what we show of ourselves, PEM.
    package var certificatePath: String?
    package var keyPath: String?

    package init() {}

    /// Reads the files.
    /// - Throws: which file is of no use.
    func context() throws(RedisAddress.ParseError) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification =
            verifies ? (checksHostname ? .fullVerification : .noHostnameVerification) : .none
        if let authorityPath {
            do {
                configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(authorityPath))
            } catch {
                throw RedisAddress.ParseError(description: "ssl_ca_certs: \(authorityPath) is no readable PEM file")
            }
        }
        if let certificatePath {
            do {
                configuration.certificateChain = try NIOSSLCertificate.fromPEMFile(certificatePath)
                    .map { .certificate($0) }
            } catch {
                throw RedisAddress.ParseError(description: "ssl_certfile: \(certificatePath) is no readable PEM file")
            }
        }
        if let keyPath = keyPath ?? certificatePath {
            do {
                configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: keyPath, format: .pem))
            } catch {
                throw RedisAddress.ParseError(description: "ssl_keyfile: \(keyPath) is no readable PEM file")
            }
        }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw RedisAddress.ParseError(description: "the options of TLS do not fit together: \(error)")
        }
    }
}
