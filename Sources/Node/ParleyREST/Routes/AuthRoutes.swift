import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// Sign-up, login and logout.
func authRoutes(_ services: RESTServices) -> [Route] {
    [
        Route(.post, path: "/auth/signup", for: .allowedPages) { request, context in
            let fields = try await request.bodyFields()
            let login = try await services.auth.login.signUp(
                username: fields.text("username"), password: fields.text("password"), address: context.client.text)
            return services.loggedIn(login, overTLS: context.client.isSecure)
        },
        Route(.post, path: "/auth/login", for: .allowedPages) { request, context in
            let fields = try await request.bodyFields()
            let login = try await services.auth.login.logIn(
                username: fields.text("username"), password: fields.text("password"), address: context.client.text,
                device: services.deviceToken(in: request))
            return services.loggedIn(login, overTLS: context.client.isSecure)
        },
        // The tutorial's clients log out by GET. HEAD is not supported, since it would log out as well.
        Route(.get, .post, path: "/auth/logout", for: .whoever, changesByGET: true) { request, context in
            try await services.logOut(request, context)
        },
    ]
}

extension RESTServices {
    fileprivate func loggedIn(_ login: NewLogin, overTLS isSecure: Bool) -> Response {
        // The session comes first, since some clients read only the first cookie.
        var headers: HTTPFields = [.setCookie: settings.cookie.setting(login.sessionToken, overTLS: isSecure)]
        headers.append(
            HTTPField(
                name: .setCookie, value: settings.cookie.ofDevice.setting(login.deviceToken, overTLS: isSecure)))
        return .json(JSONTree(login.user), headers: headers)
    }

    /// Logs the caller out. The absence of a session is not an error, and other credentials are unaffected.
    fileprivate func logOut(_ request: Request, _ context: CallContext<Principal?>) async throws -> Response {
        if case .user(let identity) = context.caller { try await messaging.logOut(Caller(identity)) }
        return .json(.members([]), headers: clearedCookie(request, overTLS: context.client.isSecure))
    }
}
