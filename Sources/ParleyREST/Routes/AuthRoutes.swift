import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// Sign-up, login and logout.
func authRoutes(_ services: RESTServices) -> [Route] {
    [
        Route(.post, path: "/auth/signup") { request, context in
            try services.refuseForeignOrigin(request)
            let fields = try await request.bodyFields()
            let login = try await services.auth.login.signUp(
                username: fields.text("username"), password: fields.text("password"), address: context.client.text)
            return services.loggedIn(login, context)
        },
        Route(.post, path: "/auth/login") { request, context in
            try services.refuseForeignOrigin(request)
            let fields = try await request.bodyFields()
            let login = try await services.auth.login.logIn(
                username: fields.text("username"), password: fields.text("password"), address: context.client.text,
                device: services.deviceToken(in: request))
            return services.loggedIn(login, context)
        },
        // A GET that changes state, because clients of the tutorial use it; there is no HEAD that would. A link on
        // another site's page is rejected, and what any page loads by itself.
        Route(.get, .post, path: "/auth/logout") { request, context in
            try services.refusePartOfPage(request)
            return try await services.logOut(request, context)
        },
    ]
}

extension RESTServices {
    fileprivate func loggedIn(_ login: NewLogin, _ context: RESTContext) -> Response {
        let isSecure = context.client.isSecure
        // The session comes first: some clients read only the first cookie.
        var headers: HTTPFields = [.setCookie: settings.cookie.setting(login.sessionToken, overTLS: isSecure)]
        headers.append(
            HTTPField(
                name: .setCookie, value: settings.cookie.ofDevice.setting(login.deviceToken, overTLS: isSecure)))
        return .json(JSONTree(login.user), headers: headers)
    }

    /// Logging out without a session is not an error. A credential that is not a session is unaffected.
    fileprivate func logOut(_ request: Request, _ context: RESTContext) async throws -> Response {
        do {
            let principal = try await principal(request, context, changesState: true)
            if case .user(let identity) = principal, case .session(let session, _) = identity.credential {
                // Parley does not write to Django's database, and would only seem to have ended the session.
                guard !session.isForeign else {
                    throw APIError(.forbidden, "the session belongs to Django; log out there")
                }
                if let token = sessionToken(in: request) { _ = try await changes.logOut(token) }
            }
        } catch let error as APIError where error.code == .unauthorized {}
        return .json(.members([]), headers: clearedCookie(request, context))
    }
}
