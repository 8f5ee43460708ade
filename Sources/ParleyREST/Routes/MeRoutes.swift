import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyModel

/// Who I am, what I show, and what is kept of me.
func meRoutes(_ services: RESTServices) -> [Route] {
    let changer = AccountChanger(services)
    return [
        Route(.get, path: "/v1/me") { request, context in
            let user = try await services.identity(request, context, changesState: false).user
            return .json(JSON(user, try await services.accounts.profiles(of: [user.id])[user.id]))
        },
        Route(.patch, path: "/v1/me") { request, context in
            let identity = try await services.identity(request, context, changesState: true)
            let profile = try await changer.change(identity, await request.bodyFields())
            return .json(JSON(identity.user, profile))
        },
        Route(.delete, path: "/v1/me") { request, context in
            let user = try await services.identity(request, context, changesState: true).user
            try await changer.erase(user, logger: context.logger)
            return .nothing(headers: services.clearedCookie(request, context))
        },
        Route(.get, path: "/v1/me/export") { request, context in
            let user = try await services.identity(request, context, changesState: false).user
            let export = UserExport(
                store: services.store, user: user, profile: try await services.accounts.profiles(of: [user.id])[user.id]
            )
            return Response(
                status: .ok,
                headers: [
                    .contentType: "application/x-ndjson",
                    .contentDisposition: "attachment; filename=\"parley-export.ndjson\"",
                ],
                body: ResponseBody { try await export.write(to: &$0) })
        },
    ]
}
