/// Sends requests to an OpenID provider: the one port of the login that leaves the machine.
///
/// An implementation must not follow redirects, and must limit each response to `ProviderRequest.maximumBytes` and
/// `ProviderRequest.timeLimit`.
package protocol ProviderRequests: Sendable {
    /// - Throws: `unavailable` for a provider that does not answer, or whose answer is too large or too slow.
    func answer(to request: ProviderRequest) async throws(ProviderError) -> ProviderAnswer
}

package struct ProviderRequest: Sendable {
    /// Maximum size of the body of a response.
    package static let maximumBytes = 262_144
    /// The time in which the response must be complete.
    package static let timeLimit = Duration.seconds(5)

    package let address: ProviderAddress
    /// `nil` for a `GET`, otherwise the form of a `POST`.
    package let form: String?
    /// The value of `Authorization`.
    package let authorization: String?

    init(_ address: ProviderAddress, form: String? = nil, authorization: String? = nil) {
        self.address = address
        self.form = form
        self.authorization = authorization
    }
}

package struct ProviderAnswer: Sendable {
    package let status: Int
    package let body: [UInt8]

    package init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// A failure of a provider. The texts are for the log.
package enum ProviderError: Error, Hashable, Sendable {
    /// It may be better later.
    case unavailable(String)
    /// It answered something that is not allowed, or refused the request.
    case invalid(String)

    var explanation: String {
        switch self {
        case .unavailable(let text), .invalid(let text): text
        }
    }
}
