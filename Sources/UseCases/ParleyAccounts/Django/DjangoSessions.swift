package import Logging
import ParleyConcurrency
package import ParleyModel

/// Accepts the sessions of a Django site, so that its login is valid for Parley too.
///
/// Two of Django's session engines can be read: `db` (and `cached_db`, which writes the same row), and
/// `signed_cookies`. A session is valid as in `django.contrib.auth.get_user`: the signature is valid under `SECRET_KEY`
/// or a fallback, the row has not expired, the backend is one of the site's, and the user is active and has the
/// password of the login, again under any of the keys (Channels itself uses only the first).
package struct DjangoSessions: SessionVerifier {
    /// Maximum cookie length, in bytes; browsers keep no longer ones.
    private static let maximumCookieLength = 4096

    private let settings: DjangoSettings
    private let rowSigner: DjangoSigner
    private let cookieSigner: DjangoSigner
    private let passwordSigner: DjangoSigner
    private let seal: DjangoReferenceSeal
    private let rows: DirectoryLoader<String, String>
    private let siteUsers: DirectoryLoader<String, DjangoUser>
    private let users: DjangoUsers
    private let clock: WallClock
    private let logger: Logger
    private let logThrottle = LogThrottle()

    /// - Parameters:
    ///   - secret: `PARLEY_SECRET`.
    ///   - gathering: how lookups are batched; nothing is cached between queries.
    ///   - pause: waits so that others can share a query.
    package init(
        settings: DjangoSettings, secret: Secret, site: any DjangoDirectory, users: DjangoUsers,
        gathering: DirectorySettings = DirectorySettings(), clock: WallClock = .system, logger: Logger,
        pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.settings = settings
        let secrets = [settings.secretKey] + settings.fallbacks
        rowSigner = DjangoSigner(dumpedWith: "django.contrib.sessions.SessionStore", secrets: secrets)
        cookieSigner = DjangoSigner(dumpedWith: "django.contrib.sessions.backends.signed_cookies", secrets: secrets)
        passwordSigner = DjangoSigner(
            salt: "django.contrib.auth.models.AbstractBaseUser.get_session_auth_hash", secrets: secrets)
        seal = DjangoReferenceSeal(secret: secret)
        rows = DirectoryLoader(settings: gathering, memory: .zero, clock: clock, pause: pause) {
            keys throws(StoreError) in try await site.sessions(keys)
        }
        siteUsers = DirectoryLoader(settings: gathering, memory: .zero, clock: clock, pause: pause) {
            keys throws(StoreError) in try await site.users(keys)
        }
        self.users = users
        self.clock = clock
        self.logger = logger
    }

    package func session(cookie: String) async throws(StoreError) -> VerifiedSession? {
        guard let reference = reference(cookie), let found = try await found(reference),
            let token = seal.token(reference), let account = try await users.account(of: found.user, key: found.key)
        else { return nil }
        return VerifiedSession(
            token: token, user: account.user, expires: found.expires, suspension: account.suspension)
    }

    package func isAlive(_ token: TokenHash, of user: User) async throws(StoreError) -> Bool {
        guard let reference = seal.reference(token), let found = try await found(reference) else { return false }
        // A user renamed in Django is another user here.
        return found.user.username.utf8.elementsEqual(user.name.utf8)
    }

    /// The reference for a cookie, if it can be one of Django's.
    private func reference(_ cookie: String) -> DjangoReference? {
        guard cookie.utf8.count <= Self.maximumCookieLength else { return nil }
        guard cookie.utf8.contains(UInt8(ascii: ":")) else {
            return Self.isSessionKey(cookie) ? .row(key: cookie) : nil
        }
        guard let signed = cookieSigner.signed(cookie), let data = data(signed.text) else { return nil }
        // Clamped so that nothing overflows. Like Django, a cookie is valid at the exact end of its age, and if dated
        // in the future.
        let seconds = min(max(signed.seconds, 0), 1 << 40) + Int64(settings.cookieAge)
        return .cookie(userKey: data.userKey, passwordMark: data.passwordMark, expires: seconds * 1000 + 1)
    }

    /// The user of a session, if Django considers it valid.
    private func found(
        _ reference: DjangoReference
    ) async throws(StoreError) -> (key: String, user: DjangoUser, expires: Int64?)? {
        let key, mark: String
        var expires: Int64?
        switch reference {
        case .row(let sessionKey):
            guard let row = try await rows.find(sessionKey), let signed = rowSigner.signed(row),
                let data = data(signed.text)
            else { return nil }
            (key, mark) = (data.userKey, data.passwordMark)
        case .cookie(let userKey, let passwordMark, let end):
            guard end > clock.milliseconds else { return nil }
            (key, mark, expires) = (userKey, passwordMark, end)
        }
        guard let user = try await siteUsers.find(key), user.isActive, marks(user.password, mark) else { return nil }
        return (key, user, expires)
    }

    /// The content of a session, if one of the site's backends created it.
    private func data(_ text: Substring) -> DjangoSessionData? {
        guard let data = DjangoSessionData(text) else { return nil }
        guard settings.backends.contains(data.backend) else {
            if logThrottle.allow("backend", at: clock.milliseconds) {
                logger.notice(
                    "Django session rejected: its backend is not in PARLEY_DJANGO_AUTHENTICATION_BACKENDS",
                    metadata: ["backend": "\(data.backend)"])
            }
            return nil
        }
        return data
    }

    /// Whether the hash in the session was made from this password.
    private func marks(_ password: String, _ mark: String) -> Bool {
        passwordSigner.codes(of: password)
            .map { PasswordHasher.isEqual(Array(Hex.encode($0).utf8), Array(mark.utf8)) }
            .contains(true)
    }

    /// Whether a text could be a `session_key`: Django's have 32 lower-case letters and digits, and it never queries
    /// one below 8.
    private static func isSessionKey(_ text: String) -> Bool {
        (8...40).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: false
                }
            }
    }
}
