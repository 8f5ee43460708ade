import HTTPTypes
import Hummingbird
import ParleyAccounts

/// The cookies of requests.
extension RESTServices {
    /// Returns the value of the device cookie, if the request has one.
    func deviceToken(in request: Request) -> String? {
        CookieHeader.value(of: settings.cookie.ofDevice.name, in: request.headers[values: .cookie])
    }

    /// Clears the session cookie, unless it belongs to another system that uses the same name.
    func clearedCookie(_ request: Request, overTLS isSecure: Bool) -> HTTPFields {
        let value = CookieHeader.value(of: settings.cookie.name, in: request.headers[values: .cookie]) ?? ""
        guard value.isEmpty || SessionTokens.isToken(value) else { return [:] }
        return [.setCookie: settings.cookie.clearing(overTLS: isSecure)]
    }
}
