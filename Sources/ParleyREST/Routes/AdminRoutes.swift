import HTTPTypes
import Hummingbird
import ParleyAccounts

/// What a back end does in its own name, with an API key that acts for no user.
func adminRoutes(_ services: RESTServices) -> [Route] {
    [
        Route(.post, path: "/v1/admin/import") { request, context in
            try await services.requireService(request, context)
            return .json(JSON(try await BulkImport(services: services).run(request.body)))
        }
    ]
}

extension RESTServices {
    fileprivate func requireService(_ request: Request, _ context: RESTContext) async throws(APIError) {
        guard case .service = try await principal(request, context, changesState: true) else {
            throw APIError(.forbidden, "only an API key without X-Parley-User may do this")
        }
    }
}
