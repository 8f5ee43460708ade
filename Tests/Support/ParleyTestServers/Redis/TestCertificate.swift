import Foundation
import ParleyTestSupport

/// A self-signed certificate created by `openssl`.
package struct TestCertificate: Sendable {
    /// `openssl` failed.
    package struct NotMade: Error, CustomStringConvertible {
        package let description: String
    }

    /// In the notation of subject alternative names.
    package static let localNames = ["DNS:localhost", "IP:127.0.0.1"]

    /// PEM; also the file that a client must trust.
    package let path: String
    /// PEM, without a password.
    package let keyPath: String

    /// Creates a certificate in `directory`; it is valid for two days.
    package static func make(in directory: String, for names: [String] = localNames) async throws -> TestCertificate {
        let certificate = TestCertificate(path: directory + "/certificate.pem", keyPath: directory + "/key.pem")
        let output = directory + "/openssl.log"
        let process = try await ChildProcess.start(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-keyout", certificate.keyPath, "-out", certificate.path, "-subj", "/CN=localhost", "-addext",
                "subjectAltName=\(names.joined(separator: ","))",
            ], environment: ["PATH": "/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin"], in: directory, output: output)
        let end = try await process.exit(within: .seconds(20))
        guard end == .exited(0) else {
            throw NotMade(
                description: "openssl ended: \(end)\n\((try? String(contentsOfFile: output, encoding: .utf8)) ?? "")")
        }
        return certificate
    }
}
