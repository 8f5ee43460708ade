/// The content security policy of a file.
///
/// It allows nothing from other hosts, and scripts only from files, so that a text injected into the page cannot run as code.
struct PagePolicy: Sendable {
    /// Whether the file is the page of the web client. That page also displays pictures before they are sent, as its own blobs,
    /// and plays videos from the server.
    var isApp = false
    /// The origins whose pages may show the page in a frame.
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

    /// The value of `X-Frame-Options`, for browsers without support for `frame-ancestors`; `nil` if it cannot express the policy.
    var frameOptions: String? {
        switch frameAncestors {
        case []: "DENY"
        case ["'self'"]: "SAMEORIGIN"
        default: nil
        }
    }
}
