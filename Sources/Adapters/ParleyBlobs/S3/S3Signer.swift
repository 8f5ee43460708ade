import Crypto
import ParleyModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Signs requests with AWS Signature Version 4, in headers or in the query of a URL for other clients.
package struct S3Signer: Sendable {
    private let region: String
    private let accessKey: String
    private let secretKey: String

    package init(region: String, accessKey: String, secretKey: String) {
        self.region = region
        self.accessKey = accessKey
        self.secretKey = secretKey
    }

    /// The signed fields of a request.
    package struct Target: Sendable {
        package var method: String
        package var host: String
        /// The path, not encoded, without a slash at its end.
        package var path: String
        /// The query, not encoded.
        package var query: [(name: String, value: String)]

        package init(method: String, host: String, path: String, query: [(name: String, value: String)] = []) {
            self.method = method
            self.host = host
            self.path = path
            self.query = query
        }
    }

    /// Returns the path and query of a request as they must be sent.
    package static func uri(of target: Target) -> String {
        let query = canonicalQuery(target.query)
        return encodedPath(target.path) + (query.isEmpty ? "" : "?\(query)")
    }

    /// Returns the headers to add to a request.
    /// - Parameter headers: Other headers to sign, with lower-case names.
    package func headers(
        for target: Target, headers: [(name: String, value: String)] = [], bodySum: String, at milliseconds: Int64
    ) -> [(name: String, value: String)] {
        let date = SigningDate(milliseconds: milliseconds)
        var signed = headers
        signed += [("host", target.host), ("x-amz-content-sha256", bodySum), ("x-amz-date", date.time)]
        let (signature, names) = signature(of: target, signed, bodySum: bodySum, date)
        let authorization =
            "AWS4-HMAC-SHA256 Credential=\(accessKey)/\(scope(date)), SignedHeaders=\(names), Signature=\(signature)"
        return [("x-amz-content-sha256", bodySum), ("x-amz-date", date.time), ("authorization", authorization)]
    }

    /// Returns the path and query of a URL that is valid for some seconds for everyone who knows it.
    package func presigned(_ target: Target, at milliseconds: Int64, for seconds: Int) -> String {
        let date = SigningDate(milliseconds: milliseconds)
        var target = target
        target.query += [
            ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"), ("X-Amz-Credential", "\(accessKey)/\(scope(date))"),
            ("X-Amz-Date", date.time), ("X-Amz-Expires", "\(seconds)"), ("X-Amz-SignedHeaders", "host"),
        ]
        let (signature, _) = signature(of: target, [("host", target.host)], bodySum: "UNSIGNED-PAYLOAD", date)
        return "\(Self.uri(of: target))&X-Amz-Signature=\(signature)"
    }

    // MARK: Signature

    private func scope(_ date: SigningDate) -> String { "\(date.day)/\(region)/s3/aws4_request" }

    private func signature(
        of target: Target, _ headers: [(name: String, value: String)], bodySum: String, _ date: SigningDate
    ) -> (signature: String, names: String) {
        let headers = headers.sorted { $0.name < $1.name }
        let names = headers.map(\.name).joined(separator: ";")
        let canonical =
            [target.method, Self.encodedPath(target.path), Self.canonicalQuery(target.query)]
            + headers.map { "\($0.name):\($0.value)" } + ["", names, bodySum]
        let text = [
            "AWS4-HMAC-SHA256", date.time, scope(date), Self.sum(Array(canonical.joined(separator: "\n").utf8)),
        ].joined(separator: "\n")
        var key = SymmetricKey(data: Array("AWS4\(secretKey)".utf8))
        for step in [date.day, region, "s3", "aws4_request"] {
            key = SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array(step.utf8), using: key))
        }
        return (Hex.encode(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)), names)
    }

    package static func sum(_ bytes: [UInt8]) -> String { Hex.encode(SHA256.hash(data: bytes)) }

    private static func encodedPath(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { PercentEncoding.encode($0.utf8) }
            .joined(separator: "/")
    }

    private static func canonicalQuery(_ query: [(name: String, value: String)]) -> String {
        query.map { (PercentEncoding.encode($0.name.utf8), PercentEncoding.encode($0.value.utf8)) }
            .sorted { $0 < $1 }.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }
}

/// A date in the two formats of a signature.
private struct SigningDate {
    /// `20261123`.
    let day: String
    /// `20261123T124729Z`.
    let time: String

    init(milliseconds: Int64) {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let digits = { (number: Int32) in number < 10 ? "0\(number)" : "\(number)" }
        day = "\(parts.tm_year + 1900)\(digits(parts.tm_mon + 1))\(digits(parts.tm_mday))"
        time = "\(day)T\(digits(parts.tm_hour))\(digits(parts.tm_min))\(digits(parts.tm_sec))Z"
    }
}
