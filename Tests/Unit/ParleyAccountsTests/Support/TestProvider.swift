import Foundation
import ParleyAccounts
import ParleyTestContracts
import Synchronization

/// An OpenID provider in memory, which checks what it is asked, and whose answers a test can change.
final class TestProvider: ProviderRequests {
    static let issuer = "https://id.example"
    static let clientID = "parley"

    struct State: Sendable {
        /// Thrown for every request.
        var failure: ProviderError?
        /// Statuses of paths that do not answer 200.
        var statuses: [String: Int] = [:]
        /// Members of the discovery document, in JSON.
        var document: [String: String] = [
            "issuer": #""https://id.example""#, "authorization_endpoint": #""https://id.example/login?theme=x""#,
            "token_endpoint": #""https://id.example/token""#, "jwks_uri": #""https://keys.example/jwks""#,
            "userinfo_endpoint": #""https://id.example/me""#,
        ]
        var jwks = ""
        /// Claims of ID tokens that replace or, with an empty text, remove the standard ones; in JSON.
        var claims: [String: String] = [:]
        /// The header of ID tokens; `nil` for a usual one.
        var header: String?
        var algorithm = JWTIssuer.Algorithm.rs256
        /// Signs ID tokens instead of the provider's own keys.
        var signer: JWTIssuer?
        /// The whole ID token, if it is not signed at all.
        var token: String?
        var userInfo = #"{"sub":"17"}"#
        /// The nonce and the challenge of each code that was given out and not used.
        var codes: [String: (nonce: String, challenge: String)] = [:]
        var requests: [ProviderRequest] = []
    }

    let keys: JWTIssuer
    private let clock: TestClock
    private let state: Mutex<State>

    init(clock: TestClock) async throws {
        self.clock = clock
        keys = try await JWTIssuer()
        var state = State()
        state.jwks = keys.jwks
        self.state = Mutex(state)
    }

    @discardableResult
    func edit<Value: Sendable>(_ body: (inout sending State) -> sending Value) -> Value { state.withLock(body) }

    /// The paths of all requests since the last call.
    func asked() -> [String] {
        edit { state in
            defer { state.requests = [] }
            return state.requests.compactMap { URL(string: $0.address.text)?.path }
        }
    }

    /// What a user does at the provider's page: logs in, which gives a code out.
    func authorize(_ address: String) -> (code: String, state: String) {
        let query = Self.fields(URLComponents(string: address)?.percentEncodedQuery ?? "")
        let code = UUID().uuidString
        edit { $0.codes[code] = (query["nonce"] ?? "", query["code_challenge"] ?? "") }
        return (code, query["state"] ?? "")
    }

    func answer(to request: ProviderRequest) async throws(ProviderError) -> ProviderAnswer {
        let path = URL(string: request.address.text)?.path ?? ""
        let (state, code) = edit { state in
            state.requests.append(request)
            let code = Self.fields(request.form ?? "")["code"].flatMap { state.codes.removeValue(forKey: $0) }
            return (state, code)
        }
        if let failure = state.failure { throw failure }
        if let status = state.statuses[path] {
            return ProviderAnswer(status: status, body: Array(#"{"error":"x"}"#.utf8))
        }
        switch path {
        case _ where path.hasSuffix("/.well-known/openid-configuration"): return Self.json(Self.object(state.document))
        case "/jwks": return Self.json(state.jwks)
        case "/me": return Self.json(state.userInfo)
        case "/token":
            let verifier = Self.fields(request.form ?? "")["code_verifier"] ?? ""
            guard let code, LoginAttempts.challenge(of: verifier) == code.challenge else {
                return ProviderAnswer(status: 400, body: Array(#"{"error":"invalid_grant"}"#.utf8))
            }
            return Self.json(#"{"access_token":"at","token_type":"Bearer","id_token":"\#(token(code.nonce, state))"}"#)
        default: return ProviderAnswer(status: 404, body: [])
        }
    }

    private func token(_ nonce: String, _ state: State) -> String {
        if let token = state.token { return token }
        let now = clock.milliseconds / 1000
        var claims = [
            "iss": "\"\(Self.issuer)\"", "aud": "\"\(Self.clientID)\"", "sub": #""17""#, "exp": "\(now + 300)",
            "iat": "\(now)", "nonce": "\"\(nonce)\"", "preferred_username": #""alice""#,
        ]
        claims.merge(state.claims) { $1 }
        let text = Self.object(claims.filter { !$0.value.isEmpty })
        let kid = state.algorithm.rawValue
        let header = state.header ?? #"{"alg":"\#(kid)","kid":"\#(kid)"}"#
        return (try? (state.signer ?? keys).token(state.algorithm, header: header, claims: text)) ?? ""
    }

    private static func object(_ members: [String: String]) -> String {
        "{" + members.map { "\"\($0.key)\":\($0.value)" }.sorted().joined(separator: ",") + "}"
    }

    private static func json(_ text: String) -> ProviderAnswer { ProviderAnswer(status: 200, body: Array(text.utf8)) }

    /// The fields of a form or a query.
    static func fields(_ text: String) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map { String($0).removingPercentEncoding ?? "" }
            fields[parts.first ?? ""] = parts.count > 1 ? parts[1] : ""
        }
        return fields
    }
}

/// Logins at a `TestProvider`.
struct OIDCFixture {
    static let callback = "https://chat.example/auth/oidc/callback"

    let clock: TestClock
    let provider: TestProvider
    let accounts: AccountsFixture
    let login: OIDCLogin

    init(_ change: (inout AccountSettings) throws -> Void = { _ in }) async throws {
        let clock = TestClock()
        self.clock = clock
        provider = try await TestProvider(clock: clock)
        accounts = try await AccountsFixture(clock: clock, oidcRequests: provider) { settings in
            settings.oidc = ProviderAddress(TestProvider.issuer).map {
                OIDCSettings(issuer: $0, clientID: TestProvider.clientID)
            }
            settings.oidc?.clientSecret = Secret(text: "s3cr:t &")
            try change(&settings)
        }
        guard let login = accounts.services.oidc else { throw CancellationError() }
        self.login = login
    }

    func begin(next: String = "/") async throws(OIDCFailure) -> OIDCLogin.Beginning {
        try await login.begin(next: next, callback: Self.callback)
    }

    /// A whole login.
    /// - Parameter change: what is wrong with the redirect.
    func logIn(
        cookie: String? = nil, _ change: (inout OIDCLogin.Callback) -> Void = { _ in }
    ) async throws(OIDCFailure) -> OIDCLogin.Ending {
        let beginning = try await begin()
        let (code, state) = provider.authorize(beginning.address)
        var callback = OIDCLogin.Callback(state: state, code: code, error: nil, issuer: nil)
        change(&callback)
        return try await login.finish(callback, cookie: cookie ?? beginning.cookie, at: Self.callback, device: nil)
    }

    /// Why a login fails; `nil` if it does not.
    func failure(
        cookie: String? = nil, _ change: (inout OIDCLogin.Callback) -> Void = { _ in }
    ) async -> OIDCFailure? {
        do throws(OIDCFailure) {
            _ = try await logIn(cookie: cookie, change)
            return nil
        } catch {
            return error
        }
    }
}
