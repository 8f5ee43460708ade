import HTTPTypes

/// The header fields that HTTPTypes does not name.
extension HTTPField.Name {
    /// The user for whom an API key acts.
    static let parleyUser = constant("X-Parley-User")
    /// The sender's id for a send.
    static let idempotencyKey = constant("Idempotency-Key")
    /// Requests a trace of the message.
    static let parleyTrace = constant("X-Parley-Trace")
    /// The relation between the requesting page and this host (W3C Fetch Metadata).
    static let fetchDestination = constant("Sec-Fetch-Dest")
    static let fetchSite = constant("Sec-Fetch-Site")
    static let requestID = constant("X-Request-Id")
    static let forwardedFor = constant("X-Forwarded-For")
    static let forwardedProto = constant("X-Forwarded-Proto")
    static let contentTypeOptions = constant("X-Content-Type-Options")
    static let referrerPolicy = constant("Referrer-Policy")
    static let frameOptions = constant("X-Frame-Options")
    static let openerPolicy = constant("Cross-Origin-Opener-Policy")
    static let resourcePolicy = constant("Cross-Origin-Resource-Policy")

    /// The offset of a request's first byte, or of the first byte of the next request; as in tus.
    static let uploadOffset = constant("Upload-Offset")
    /// The size of the completed upload.
    static let uploadLength = constant("Upload-Length")

    private static func constant(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("not the name of a field") }
        return name
    }
}
