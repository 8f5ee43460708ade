import HTTPTypes
import Hummingbird
import ParleyModel

/// A path with its handler and its requirements on the caller.
struct Route: Sendable {
    /// The path, with parameters in braces.
    let path: String
    let methods: [HTTPRequest.Method]
    /// The name of the route in metrics and logs. Several paths may share one.
    let label: String
    /// Finds the caller, then runs the handler.
    let respond: @Sendable (Request, RESTContext, RequestCallers?) async throws -> Response

    /// - Parameters:
    ///   - access: The callers that are admitted.
    ///   - budget: The user's budget that a call is charged to: `lists`, `history`, `searches` or `files` for calls that read.
    ///     Back ends that do not act for a user have no budget.
    ///   - changesByGET: Whether a `GET` changes state, as other methods do. Requests with a cookie are then rejected from
    ///     pages of foreign origins, as are requests of pages that load the path as a subresource, such as an image.
    init<Caller>(
        _ methods: HTTPRequest.Method..., path: String, label: String? = nil, for access: RouteAccess<Caller>,
        budget: BudgetKind? = nil, changesByGET: Bool = false,
        handler: @escaping @Sendable (Request, CallContext<Caller>) async throws -> Response
    ) {
        self.path = path
        self.methods = methods
        self.label = label ?? path
        respond = { request, context, callers in
            if changesByGET { try request.refusePartOfPage() }
            let call = RequestCallers.Call(
                request: request, context: context, budget: budget,
                isSafe: !changesByGET && (request.method == .get || request.method == .head))
            let caller = try await access.find(callers, call)
            return try await handler(request, CallContext(caller: caller, context: context))
        }
    }
}
