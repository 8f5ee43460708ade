import HTTPTypes
import Hummingbird
import ParleyAccounts

/// Cross-origin resource sharing (Fetch Standard, section 3.2) for pages of the origins in `PARLEY_ALLOWED_ORIGINS`.
///
/// It covers the calls of clients, but not the calls of operators. The response contains the origin of the page rather than `*`,
/// because a page may send the session cookie.
struct CrossOrigin: Sendable {
    /// The request header fields that clients use. `X-Parley-User` is missing, because API keys do not belong in browsers.
    private static let requestFields =
        "Authorization, Content-Type, Idempotency-Key, If-None-Match, If-Range, Range, Upload-Offset, X-Parley-Trace, X-Request-Id"
    /// The response header fields that scripts may read in addition to the standard ones.
    private static let responseFields =
        "Accept-Ranges, Content-Disposition, Content-Range, ETag, Retry-After, Upload-Length, Upload-Offset, X-Request-Id"
    /// The duration in seconds for which browsers cache the response to a preflight request.
    private static let maxAge = "600"

    private let allowed: Set<Origin>

    init(_ policy: OriginPolicy?) {
        allowed = policy?.allowed ?? []
    }

    /// Returns the response to a preflight request, or `nil` if the request is not a permitted one.
    /// - Parameter methods: The methods that the path supports.
    func preflight(_ request: Request, methods: [HTTPRequest.Method]) -> Response? {
        guard request.method == .options, request.headers[.accessControlRequestMethod] != nil, !methods.isEmpty,
            page(of: request) != nil
        else { return nil }
        let names = methods.map(\.rawValue).sorted().joined(separator: ", ")
        return Response(
            status: .noContent,
            headers: [
                .accessControlAllowMethods: names, .accessControlAllowHeaders: Self.requestFields,
                .accessControlMaxAge: Self.maxAge,
            ])
    }

    /// Adds the header fields that allow a permitted page to read the response.
    func complete(_ response: inout Response, to request: Request) {
        guard !allowed.isEmpty, covers(request.uri.path) else { return }
        // Responses differ by the origin of the page, so a cache must not mix them.
        response.headers.append(HTTPField(name: .vary, value: "Origin"))
        guard let page = page(of: request) else { return }
        response.headers[.accessControlAllowOrigin] = page
        response.headers[.accessControlAllowCredentials] = "true"
        response.headers[.accessControlExposeHeaders] = Self.responseFields
    }

    /// The origin of a permitted page, in the browser's spelling.
    private func page(of request: Request) -> String? {
        guard covers(request.uri.path), let text = request.headers[.origin], let origin = Origin(text),
            allowed.contains(origin)
        else { return nil }
        return text
    }

    private func covers(_ path: String) -> Bool {
        guard path.hasPrefix("/v1/") || path.hasPrefix("/auth/") else { return false }
        return path != "/v1/admin" && !path.hasPrefix("/v1/admin/")
    }
}
