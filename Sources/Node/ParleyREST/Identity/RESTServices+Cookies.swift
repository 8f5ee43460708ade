import HTTPTypes
import Hummingbird
import ParleyAccounts

/// The cookies of requests.
extension RESTServices {
    /// Returns the value of the device cookie, if the request has one.
    func deviceToken(in request: Request) -> String? {
        CookieHeader.value(of: settings.cookie.ofDevice.name, in: request.headers[values: .cookie])
    }

    /// The cookies of a login. The session comes first, since some clients read only the first cookie.
    func cookies(of login: NewLogin, overTLS isSecure: Bool) -> [HTTPField] {
        [
            HTTPField(name: .setCookie, value: settings.cookie.setting(login.sessionToken, overTLS: isSecure)),
            HTTPField(name: .setCookie, value: settings.cookie.ofDevice.setting(login.deviceToken, overTLS: isSecure)),
        ]
    }

    /// Clears the session cookie, unless it belongs to another system that uses the same name.
    func clearedCookie(_ request: Request, overTLS isSecure: Bool) -> HTTPFields {
        let value = CookieHeader.value(of: settings.cookie.name, in: request.headers[values: .cookie]) ?? ""
        guard value.isEmpty || SessionTokens.isToken(value) else { return [:] }
        return [.setCookie: settings.cookie.clearing(overTLS: isSecure)]
    }
}
