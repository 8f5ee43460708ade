/// The content security policy of a file.
///
/// Nothing from other hosts, and scripts only from files: a text injected into the page cannot become code.
struct PagePolicy: Sendable {
    /// Whether it is the page of the web client, which also shows pictures that are not sent yet, as blobs of its own,
    /// and plays videos of the server.
    var isApp = false
    /// The origins that may show the page in a frame.
    var frameAncestors: [String] = []

    var text: String {
        let media = isApp ? ["img-src 'self' blob:", "media-src 'self'"] : ["img-src 'self' data:"]
        let ancestors = frameAncestors.isEmpty ? "'none'" : frameAncestors.joined(separator: " ")
        let all =
            ["default-src 'none'", "script-src 'self'", "style-src 'self'"] + media + [
                "font-src 'self'", "connect-src 'self'", "manifest-src 'self'", "form-action 'self'", "base-uri 'none'",
                "frame-ancestors \(ancestors)",
            ]
        return all.joined(separator: "; ")
    }

    /// The value of `X-Frame-Options`, for browsers without `frame-ancestors`; `nil` if it cannot express the policy.
    var frameOptions: String? {
        switch frameAncestors {
        case []: "DENY"
        case ["'self'"]: "SAMEORIGIN"
        default: nil
        }
    }
}
