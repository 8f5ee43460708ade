import JWTKit
import ParleyJSON
import ParleyModel

/// A service account of Google Cloud, a JSON file of the Firebase console.
package struct FCMAccount: Sendable {
    /// The maximum size of the file in bytes.
    package static let maximumFile = 65_536

    /// The right that is asked for.
    static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    /// The validity of the assertion that is exchanged for an access token, Google's maximum.
    static let assertionLifetime = Duration.seconds(3_600)
    /// The time before its end at which an access token is renewed.
    static let margin = Duration.seconds(300)

    /// The project of Firebase.
    package let project: String
    package let email: String
    /// The address of Google's authorization server.
    package let tokenURL: String
    private let keyID: String?
    private let key: JWTKit.Insecure.RSA.PrivateKey

    /// - Throws: The problem of the file and what is expected; the text has nothing of the key.
    package init(json: [UInt8]) throws(PushFileError) {
        guard json.count <= Self.maximumFile, let file = try? JSONTree(parsing: json) else {
            throw PushFileError("is not JSON of at most \(Self.maximumFile) bytes")
        }
        func member(_ name: String) throws(PushFileError) -> String {
            guard let text = file[name]?.text, !text.isEmpty else {
                throw PushFileError("has no text \(name); expected the JSON file of a service account")
            }
            return text
        }
        guard try member("type") == "service_account" else {
            throw PushFileError("has another type than service_account")
        }
        project = try member("project_id")
        // It becomes a part of a URL.
        guard project.utf8.allSatisfy(Self.isProjectCharacter), project.utf8.count <= 64 else {
            throw PushFileError("project_id is not 1 to 64 lower-case letters, digits, hyphens, points and colons")
        }
        email = try member("client_email")
        tokenURL = try member("token_uri")
        guard let url = try? WebhookURL(tokenURL), url.scheme == .https else {
            throw PushFileError("token_uri is not an https URL")
        }
        keyID = file["private_key_id"]?.text
        do {
            key = try JWTKit.Insecure.RSA.PrivateKey(pem: try member("private_key"))
        } catch let error as PushFileError {
            throw error
        } catch {
            throw PushFileError("private_key is not an RSA key of 2048 bits or more in PEM")
        }
    }

    private static func isProjectCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x61...0x7A, 0x2D, 0x2E, 0x3A: true
        default: false
        }
    }

    /// The public key in PEM, with which Google verifies assertions.
    package var publicKeyPEM: String { key.publicKey.pemRepresentation }

    /// Makes an assertion (RFC 7523;
    /// https://developers.google.com/identity/protocols/oauth2/service-account#authorizingrequests).
    private func assertion(at now: Int64) async throws(PushTokenError) -> String {
        do {
            let kid = keyID.map { JWKIdentifier(string: $0) }
            let keys = await JWTKeyCollection().add(rsa: key, digestAlgorithm: .sha256, kid: kid)
            let seconds = CivilTime.seconds(milliseconds: now)
            let claims = PushClaims(
                iss: email, aud: tokenURL, scope: Self.scope, iat: seconds,
                exp: seconds &+ Self.assertionLifetime.components.seconds)
            return try await keys.sign(claims, kid: kid)
        } catch {
            throw PushTokenError(outcome: .misconfigured(reason: "the key for FCM cannot sign: \(error)"))
        }
    }

    /// Gets an access token from Google's authorization server.
    func token(at now: Int64, from url: String, _ requests: any PushRequests) async throws(PushTokenError) -> PushToken
    {
        let assertion = try await assertion(at: now)
        let answer: PushAnswer
        do {
            answer = try await requests.answer(
                to: PushRequest(
                    url, headers: [.init("content-type", "application/x-www-form-urlencoded")],
                    // A JWT has unreserved characters only.
                    body: Array("grant_type=\(Self.grant)&assertion=\(assertion)".utf8)))
        } catch {
            throw PushTokenError(outcome: PushOutcome(error))
        }
        let body = JSONTree.answer(answer.body)
        let reason = "token: \(PushReason(body?["error"]?.text).text)"
        switch PushOutcome(answer, reason: reason) {
        case .delivered: break
        case let outcome?: throw PushTokenError(outcome: outcome)
        case nil: throw PushTokenError(outcome: .misconfigured(reason: "\(answer.status) \(reason)"))
        }
        guard let text = body?["access_token"]?.text, let seconds = body?["expires_in"]?.integer,
            (1...8_192).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw PushTokenError(outcome: .retry(after: nil, reason: "the authorization server sent no token"))
        }
        let lifetime = Duration.seconds(min(max(seconds, 0), 86_400)) - Self.margin
        return PushToken(text: text, made: now, renewal: now &+ max(lifetime, .zero).milliseconds)
    }

    private static let grant = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
}

/// A problem of a key file and what is allowed, without the name of the setting.
package struct PushFileError: Error, Hashable, Sendable {
    package let explanation: String

    init(_ explanation: String) {
        self.explanation = explanation
    }
}
