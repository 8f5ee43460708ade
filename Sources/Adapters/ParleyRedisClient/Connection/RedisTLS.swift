import NIOSSL

/// The TLS options of a connection, with redis-py's names.
package struct RedisTLS: Hashable, Sendable {
    /// `ssl_cert_reqs` other than `none`: the certificate must be signed by a trusted authority.
    package var verifies = true
    /// `ssl_check_hostname`: the certificate must match the host name.
    package var checksHostname = true
    /// `ssl_ca_certs`: a PEM file of trusted authorities; `nil` for the authorities of the system.
    package var authorityPath: String?
    /// `ssl_certfile` and `ssl_keyfile`: the client certificate and its key, PEM.
    package var certificatePath: String?
    package var keyPath: String?

    package init() {}

    /// Reads the files.
    /// - Throws: An error that names the unusable file.
    func context() throws(RedisAddress.ParseError) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification =
            verifies ? (checksHostname ? .fullVerification : .noHostnameVerification) : .none
        if let authorityPath {
            do {
                configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(authorityPath))
            } catch {
                throw RedisAddress.ParseError(description: "ssl_ca_certs: \(authorityPath) is not a readable PEM file")
            }
        }
        if let certificatePath {
            do {
                configuration.certificateChain = try NIOSSLCertificate.fromPEMFile(certificatePath)
                    .map { .certificate($0) }
            } catch {
                throw RedisAddress.ParseError(
                    description: "ssl_certfile: \(certificatePath) is not a readable PEM file")
            }
        }
        if let keyPath = keyPath ?? certificatePath {
            do {
                configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: keyPath, format: .pem))
            } catch {
                throw RedisAddress.ParseError(description: "ssl_keyfile: \(keyPath) is not a readable PEM file")
            }
        }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw RedisAddress.ParseError(description: "the TLS options do not match: \(error)")
        }
    }
}
