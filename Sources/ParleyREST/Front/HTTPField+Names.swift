import HTTPTypes

/// Header fields that HTTPTypes has no names for.
extension HTTPField.Name {
    /// The user an API key acts for.
    static let parleyUser = constant("X-Parley-User")
    /// The sender's own name for a send.
    static let idempotencyKey = constant("Idempotency-Key")
    /// Asks for the trace of what is sent.
    static let parleyTrace = constant("X-Parley-Trace")
    /// How the page that sends a request is related to this host (W3C Fetch Metadata).
    static let fetchSite = constant("Sec-Fetch-Site")
    static let requestID = constant("X-Request-Id")
    static let forwardedFor = constant("X-Forwarded-For")
    static let forwardedProto = constant("X-Forwarded-Proto")
    static let contentTypeOptions = constant("X-Content-Type-Options")
    static let referrerPolicy = constant("Referrer-Policy")
    static let frameOptions = constant("X-Frame-Options")
    static let openerPolicy = constant("Cross-Origin-Opener-Policy")
    static let resourcePolicy = constant("Cross-Origin-Resource-Policy")

    private static func constant(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("no field name: \(name)") }
        return name
    }
}
