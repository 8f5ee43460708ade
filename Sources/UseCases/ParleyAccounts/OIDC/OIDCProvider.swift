import Foundation
import ParleyConcurrency
import ParleyJSON
import ParleyModel
import Synchronization

/// One OpenID provider: its documents, which are kept, and its endpoints.
///
/// Nothing is read before the first login, and an unreachable provider fails logins for some seconds at once, without
/// being asked. What is remembered is behind mutexes; one reading of each document is in progress at a time.
final class OIDCProvider: Sendable {
    /// Callers that wait for one reading.
    private static let maximumWaiting = 1000

    private let settings: OIDCSettings
    private let requests: any ProviderRequests
    private let clock: WallClock
    private let document = Mutex(Remembered<ProviderDocument>())
    private let keys = Mutex(Remembered<JWTKeys>())
    private let documentFlight = SingleFlight<Int, ProviderDocument, ProviderError>(
        maximumWaiting: OIDCProvider.maximumWaiting, overflow: .unavailable("too many logins wait for the provider"))
    private let keysFlight = SingleFlight<Bool, JWTKeys, ProviderError>(
        maximumWaiting: OIDCProvider.maximumWaiting, overflow: .unavailable("too many logins wait for the provider"))

    init(settings: OIDCSettings, requests: any ProviderRequests, clock: WallClock) {
        self.settings = settings
        self.requests = requests
        self.clock = clock
    }

    /// The provider's discovery document.
    func discover() async throws(ProviderError) -> ProviderDocument {
        switch document.withLock({ $0.step(at: clock.milliseconds) }) {
        case .use(let known): return known
        case .fail(let error): throw error
        case .read: break
        }
        return try await documentFlight.value(of: 0) { () throws(ProviderError) in
            // Another call may have read it while this one waited.
            if case .use(let known) = document.withLock({ $0.step(at: clock.milliseconds) }) { return known }
            do throws(ProviderError) {
                guard let address = ProviderDocument.address(of: settings.issuer) else {
                    throw .invalid("the issuer is too long")
                }
                let read = try ProviderDocument(
                    json: try await body(ProviderRequest(address)), issuer: settings.issuer,
                    hasSecret: settings.clientSecret != nil)
                document.withLock { $0.didRead(read, at: clock.milliseconds) }
                return read
            } catch {
                document.withLock { $0.didFail(error, at: clock.milliseconds) }
                return try stale(error)
            }
        }.value
    }

    /// The tokens for a code (RFC 6749 §4.1.3).
    func tokens(
        for code: String, verifier: String, callback: String
    ) async throws(ProviderError) -> ProviderTokens {
        let document = try await discover()
        var form = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", callback),
            ("code_verifier", verifier),
        ]
        var authorization: String?
        switch (document.authentication, settings.clientSecret) {
        case (.basic, let secret?):
            // Both parts are encoded as in a form first (RFC 6749 §2.3.1).
            let id = FormBody.encode(settings.clientID)
            let pair = "\(id):\(FormBody.encode(String(decoding: secret.bytes, as: UTF8.self)))"
            authorization = "Basic " + Data(pair.utf8).base64EncodedString()
        case (.post, let secret?):
            form += [
                ("client_id", settings.clientID), ("client_secret", String(decoding: secret.bytes, as: UTF8.self)),
            ]
        default:
            form.append(("client_id", settings.clientID))
        }
        let request = ProviderRequest(
            document.token, form: FormBody.encode(form.map { (name: $0.0, value: $0.1) }), authorization: authorization)
        return try ProviderTokens(json: try await body(request))
    }

    /// The claims of an ID token.
    func claims(of token: String, nonce: String) async throws(ProviderError) -> ProviderClaims {
        let rules = IDTokenRules(issuer: settings.issuer.text, clientID: settings.clientID)
        let object = try await signedClaims(of: token)
        do {
            return try rules.claims(of: object, nonce: nonce, at: clock.milliseconds)
        } catch {
            throw .invalid("ID token rejected: \(error.explanation)")
        }
    }

    /// The claims that the provider shows at its user info endpoint (OpenID Connect Core §5.3); `nil` if it has none.
    func userInfo(_ tokens: ProviderTokens, of subject: String) async throws(ProviderError) -> ProviderClaims? {
        guard let address = try await discover().userInfo, let token = tokens.accessToken else { return nil }
        let json = try await body(ProviderRequest(address, authorization: "Bearer \(token)"))
        // The user info of another user must not be used (§5.3.2).
        guard let object = JOSEObject(json), object["sub"] == .text(subject) else {
            throw .invalid("the user info is not that of the user, or no JSON")
        }
        return ProviderClaims(subject: subject, object: object)
    }

    // MARK: Keys

    private func signedClaims(of token: String) async throws(ProviderError) -> JOSEObject {
        let known = try await currentKeys(refreshing: false)
        do {
            return try known.claims(signedIn: token, by: IDTokenRules.algorithms)
        } catch {
            // The provider may have a new key, with or without a `kid`.
            let isRotation = error == .unknownKey || error == .signature
            guard isRotation, keys.withLock({ $0.mayRefresh(at: clock.milliseconds) }) else {
                throw .invalid("ID token rejected: \(error.explanation)")
            }
        }
        let newest = try await currentKeys(refreshing: true)
        do {
            return try newest.claims(signedIn: token, by: IDTokenRules.algorithms)
        } catch {
            throw .invalid("ID token rejected: \(error.explanation)")
        }
    }

    private func currentKeys(refreshing: Bool) async throws(ProviderError) -> JWTKeys {
        if !refreshing {
            switch keys.withLock({ $0.step(at: clock.milliseconds) }) {
            case .use(let known): return known
            case .fail(let error): throw error
            case .read: break
            }
        }
        return try await keysFlight.value(of: refreshing) { () throws(ProviderError) in
            if !refreshing, case .use(let known) = keys.withLock({ $0.step(at: clock.milliseconds) }) { return known }
            do throws(ProviderError) {
                let json = try await body(ProviderRequest(try await discover().keys))
                guard let published = await JWKSFile.publishedKeys(json: json) else {
                    throw .invalid("the keys of the provider are no JWKS, or more than \(JWKSFile.maximumKeys)")
                }
                let read = JWTKeys(published)
                keys.withLock { $0.didRead(read, at: clock.milliseconds) }
                return read
            } catch {
                keys.withLock { $0.didFail(error, at: clock.milliseconds) }
                guard !refreshing, case .use(let known) = keys.withLock({ $0.step(at: clock.milliseconds) }) else {
                    throw error
                }
                return known
            }
        }.value
    }

    // MARK: Requests

    private func stale(_ error: ProviderError) throws(ProviderError) -> ProviderDocument {
        guard case .use(let known) = document.withLock({ $0.step(at: clock.milliseconds) }) else { throw error }
        return known
    }

    private func body(_ request: ProviderRequest) async throws(ProviderError) -> [UInt8] {
        let answer = try await requests.answer(to: request)
        switch answer.status {
        case 200: return answer.body
        case 429, 500...:
            throw .unavailable("\(request.address.text) answered \(answer.status)")
        default:
            let code = JOSEObject(answer.body)?["error"]?.text?.prefix(64) ?? ""
            throw .invalid("\(request.address.text) answered \(answer.status) \(code)")
        }
    }
}

/// The answer of a token endpoint.
struct ProviderTokens: Sendable {
    let idToken: String
    /// For the user info only; it is not kept.
    let accessToken: String?

    init(json: [UInt8]) throws(ProviderError) {
        guard let object = JOSEObject(json), let idToken = object["id_token"]?.text else {
            throw .invalid("the token endpoint answered without an id_token")
        }
        self.idToken = idToken
        // As a header field it must not contain anything but visible characters (RFC 6750 §2.1).
        accessToken = object["access_token"]?.text.flatMap { token in
            token.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? token : nil
        }
    }
}
