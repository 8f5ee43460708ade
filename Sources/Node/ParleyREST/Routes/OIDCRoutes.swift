import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyMessaging

/// Login at an OpenID provider, by two navigations of a browser.
///
/// A page of another site may begin a login, as it may link to any page; it cannot finish one, since the cookie of the
/// attempt is in the browser that began it. Neither route is for images, frames or other parts of pages.
func oidcRoutes(_ services: RESTServices) -> [Route] {
    [
        Route(.get, path: "/auth/oidc", for: .anyone, changesByGET: true) { request, context in
            let login = try services.oidc()
            let next = try request.queryFields().textIfPresent("next") ?? services.settings.web.path
            do throws(OIDCFailure) {
                let beginning = try await login.begin(next: next, callback: try services.callback(request, context))
                return services.redirect(to: beginning.address, attempt: beginning.cookie, context)
            } catch {
                return try services.response(to: error, request, context)
            }
        },
        Route(.get, path: OIDCLogin.callbackPath, for: .anyone, changesByGET: true) { request, context in
            let login = try services.oidc()
            let fields = try request.queryFields()
            let callback = OIDCLogin.Callback(
                state: try fields.textIfPresent("state"), code: try fields.textIfPresent("code"),
                error: try fields.textIfPresent("error"), issuer: try fields.textIfPresent("iss"))
            do throws(OIDCFailure) {
                let ending = try await login.finish(
                    callback, cookie: services.attempt(request, context), at: try services.callback(request, context),
                    device: services.deviceToken(in: request))
                var response = services.redirect(to: ending.next, attempt: nil, context)
                for cookie in services.cookies(of: ending.login, overTLS: context.client.isSecure) {
                    response.headers.append(cookie)
                }
                return response
            } catch {
                return try services.response(to: error, request, context)
            }
        },
    ]
}

extension RESTServices {
    fileprivate func oidc() throws(APIError) -> OIDCLogin {
        guard let login = auth.oidc else {
            throw APIError(.notFound, "there is no login at an OpenID provider here")
        }
        return login
    }

    /// The URL of this server to which the provider sends the browser, by the host that the browser has asked. The
    /// provider knows which URLs are allowed.
    fileprivate func callback(_ request: Request, _ context: CallContext<Void>) throws(OIDCFailure) -> String {
        let scheme = isSecure(context) ? "https" : "http"
        guard let host = request.head.authority, Origin("\(scheme)://\(host)") != nil else { throw .rejected }
        return "\(scheme)://\(host)\(OIDCLogin.callbackPath)"
    }

    private func isSecure(_ context: CallContext<Void>) -> Bool {
        context.client.isSecure || settings.cookie.secure == .always
    }

    // MARK: The cookie of an attempt

    /// Over TLS, the name tells browsers to take the cookie from this host only, not from another one of the same site.
    private func attemptCookie(_ context: CallContext<Void>) -> SessionCookie {
        let isSecure = settings.cookie.isSecure(overTLS: context.client.isSecure)
        return SessionCookie(
            name: isSecure ? "__Host-parley_oidc" : "parley_oidc",
            maxAgeSeconds: LoginAttempts.lifetime.components.seconds, secure: settings.cookie.secure)
    }

    fileprivate func attempt(_ request: Request, _ context: CallContext<Void>) -> String? {
        CookieHeader.value(of: attemptCookie(context).name, in: request.headers[values: .cookie])
    }

    // MARK: Responses

    /// - Parameter attempt: the value of the cookie; `nil` clears it.
    fileprivate func redirect(to address: String, attempt: String?, _ context: CallContext<Void>) -> Response {
        let cookie = attemptCookie(context)
        let isTLS = context.client.isSecure
        return Response(
            status: .seeOther,
            headers: [
                .location: address,
                .setCookie: attempt.map { cookie.setting($0, overTLS: isTLS) } ?? cookie.clearing(overTLS: isTLS),
            ])
    }

    /// A browser is led to the web app, which explains the code; a program gets the error.
    fileprivate func response(
        to failure: OIDCFailure, _ request: Request, _ context: CallContext<Void>
    ) throws(APIError) -> Response {
        guard failure != .badNext, request.headers[.accept]?.contains("text/html") == true else {
            throw APIError(failure)
        }
        return redirect(to: "\(settings.web.path)?login_error=\(failure.code)", attempt: nil, context)
    }
}

extension APIError {
    fileprivate init(_ failure: OIDCFailure) {
        switch failure {
        case .badNext: self = .badRequest(failure.explanation)
        case .unavailable:
            self.init(.unavailable, failure.explanation)
            headers[.retryAfter] = "5"
        case .suspended(let suspension): self = APIError(MessagingError.suspended(suspension))
        case .denied, .expired, .rejected, .noAccount: self.init(.forbidden, "\(failure.code): \(failure.explanation)")
        }
    }
}
