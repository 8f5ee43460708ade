import HTTPTypes
import Hummingbird
import Logging
import ParleyAccounts
import ParleyModel

/// The handling that all requests have in common:
///
/// - a request id, in the response and in every log line;
/// - a check that the path is in canonical form (`CanonicalPath`); any other path is treated as unknown;
/// - the client's address, taken from the connection or a trusted proxy;
/// - a JSON body for every error (`APIError`), and 405 for an unsupported method of a known path;
/// - headers that allow permitted pages of other origins to read the response (`CrossOrigin`), and preflight responses;
/// - headers that keep browsers from guessing types, and from framing and caching responses;
/// - the duration in the metrics, and one log line. Neither contains a query, a body or a header of the client.
struct FrontMiddleware: RouterMiddleware {
    typealias Context = RESTContext

    let routes: RouteTable
    /// The paths that may also end with a slash.
    let slashEnded: Set<String>
    let crossOrigin: CrossOrigin
    let trustedProxies: TrustedProxies
    let forwarded: (any ForwardedRequests)?
    let clock: WallClock
    let metrics: RequestMetrics

    func handle(
        _ request: Request, context: RESTContext, next: (Request, RESTContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let id = RequestID.of(request, clock: clock)
        var context = context
        context.logger[metadataKey: "hb.request.id"] = nil
        context.logger[metadataKey: "request_id"] = .string(id)
        context.client = ClientAddress(
            peer: context.peer, forwardedFor: request.headers[values: .forwardedFor],
            forwardedProto: request.headers[values: .forwardedProto], trusted: trustedProxies)

        let uses = context.uses
        defer { uses.end() }
        var response: Response
        var detail: String?
        do {
            let isCanonical = CanonicalPath.isForm(of: request.head.path ?? "", slashEnded: slashEnded)
            guard isCanonical else { throw APIError.unknownPath }
            let client = context.client
            if client.isForwarded, let limit = forwarded?.begin(from: client.text) {
                throw APIError.tooManyRequests(limit: limit)
            }
            defer { if client.isForwarded { forwarded?.end(from: client.text) } }
            let methods = request.method == .options ? routes.methods(for: request.uri.path) : []
            if let preflight = crossOrigin.preflight(request, methods: methods) {
                response = preflight
            } else {
                response = try await next(request, context)
            }
        } catch let broken as BrokenBody {
            throw broken.cause
        } catch {
            let error = apiError(error, request)
            detail = error.detail
            response = error.response
        }
        complete(&response, id: id)
        crossOrigin.complete(&response, to: request)
        if request.method == .head { response = response.createHeadResponse() }

        let route = routes.label(of: context.endpointPath)
        let duration = ContinuousClock.now - start
        metrics.record(route: route, method: request.method, status: response.status, duration: duration)
        log(request, route, response.status, duration, detail, to: context.logger)
        return response
    }

    private func apiError(_ error: any Error, _ request: Request) -> APIError {
        if let error = error as? HTTPError, error.status == .notFound {
            let methods = routes.methods(for: request.uri.path)
            if !methods.isEmpty { return .methodNotAllowed(allowed: methods) }
        }
        return APIError(error)
    }

    private func complete(_ response: inout Response, id: String) {
        response.headers[.requestID] = id
        response.headers[.contentTypeOptions] = "nosniff"
        response.headers[.referrerPolicy] = "same-origin"
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        if response.headers[.contentSecurityPolicy] == nil {
            response.headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
        }
    }

    private func log(
        _ request: Request, _ route: String, _ status: HTTPResponse.Status, _ duration: Duration, _ detail: String?,
        to logger: Logger
    ) {
        var metadata: Logger.Metadata = [
            "method": .string(request.method.rawValue), "route": .string(route),
            "status": .stringConvertible(status.code),
            "duration_ms": .stringConvertible(duration / .milliseconds(1)),
        ]
        if let detail { metadata["error"] = .string(detail) }
        switch status.code {
        case 500: logger.error("request failed", metadata: metadata)
        case 501...: logger.info("request refused", metadata: metadata)
        default: logger.debug("request answered", metadata: metadata)
        }
    }
}

/// Limits the concurrent requests of a client behind trusted proxies, whose connections do not count as the client's own.
package protocol ForwardedRequests: Sendable {
    /// Begins a request. A call of `end` must follow unless the request is rejected.
    /// - Parameter address: The client's address.
    /// - Returns: The limit that was reached; `nil` if the request may proceed.
    func begin(from address: String) -> Int?
    func end(from address: String)
}

/// The id that connects a response with its log lines.
///
/// A proxy's own id is reused if it consists of 1 to 64 characters of `[A-Za-z0-9._-]`, so that one id runs through all logs.
/// Any other id is replaced, since it could forge log lines or headers.
enum RequestID {
    static func of(_ request: Request, clock: WallClock) -> String {
        if let offered = request.headers[.requestID], isSane(offered) { return offered }
        return UUIDv7(clock).description
    }

    private static func isSane(_ text: String) -> Bool {
        text.utf8.count <= 64 && Identifier<Never>(text) != nil
    }
}
