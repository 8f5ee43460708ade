/// The settings of an S3-compatible storage: one bucket, and an access key that may read, write, delete and list its
/// objects.
package struct S3Settings: Hashable, Sendable {
    package var host: String
    package var port: Int
    package var isTLS: Bool
    package var region: String
    package var bucket: String
    package var accessKey: String
    package var secretKey: String
    /// Whether clients download directly from the storage instead of from Parley.
    package var redirects: Bool

    /// - Parameter endpoint: `http://HOST[:PORT]` or `https://…` without a path. Buckets are addressed by path.
    /// - Returns: `nil` if the endpoint is not such a URL.
    package init?(
        endpoint: String, region: String, bucket: String, accessKey: String, secretKey: String, redirects: Bool
    ) {
        guard let scheme = ["http://", "https://"].first(where: { endpoint.hasPrefix($0) }) else { return nil }
        var rest = endpoint.dropFirst(scheme.count)
        if rest.last == "/" { rest.removeLast() }
        let pieces = rest.split(separator: ":", omittingEmptySubsequences: false)
        isTLS = scheme == "https://"
        guard (1...2).contains(pieces.count), let name = pieces.first, !name.isEmpty,
            name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"/?#@".utf8.contains($0) }),
            let port = pieces.count == 2 ? Int(pieces[1]) : isTLS ? 443 : 80, (1...65_535).contains(port)
        else { return nil }
        host = String(name)
        self.port = port
        self.region = region
        self.bucket = bucket
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.redirects = redirects
    }

    /// The value of `Host`.
    var authority: String { port == (isTLS ? 443 : 80) ? host : "\(host):\(port)" }
}
