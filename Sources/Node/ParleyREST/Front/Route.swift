import HTTPTypes
import Hummingbird
import ParleyModel

/// A path with its handler, and what it requires of its caller.
struct Route: Sendable {
    /// With parameters in braces.
    let path: String
    let methods: [HTTPRequest.Method]
    /// The name in metrics and logs; several paths may share one.
    let label: String
    /// Finds the caller, then runs the handler.
    let respond: @Sendable (Request, RESTContext, RequestCallers?) async throws -> Response

    /// - Parameters:
    ///   - access: who may call it.
    ///   - budget: what the call takes from the budgets of a user: `lists`, `history`, `searches` or `files` for calls
    ///     that read. Back ends that act for no user have no budget.
    ///   - changesByGET: whether a `GET` changes something, as other methods do. A cookie is then rejected from a
    ///     foreign page, and so is a request of a page that loads the path as a part of itself, such as an image.
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
