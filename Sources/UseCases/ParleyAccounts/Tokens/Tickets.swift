import Crypto
package import Logging
package import ParleyModel

/// Issues and redeems tickets: short-lived credentials for sockets that can carry neither header nor cookie.
///
/// A ticket is base64url of its bytes (`Ticket`) and their HMAC-SHA256 under a key derived from `PARLEY_SECRET`; every
/// node with the same secret can read it. It is valid until its expiry, a **one-time ticket** once, a **resume ticket**
/// repeatedly, while what it was issued for is valid: the session is alive, or else the user's credentials version is
/// unchanged and the API key exists. Each redemption reads that from the store, in batches.
package struct Tickets: Sendable {
    /// Minimum length of `PARLEY_SECRET`, in bytes.
    package static let minimumSecretBytes = 32
    /// Maximum length of a ticket, in characters.
    package static let maximumLength = 2048

    /// Maximum time for which resume tickets prolong a credential that has neither an expiry nor a session: a chain of
    /// tickets must not outlive a changed password forever.
    package static let longestChain = Duration.seconds(24 * 60 * 60)
    /// Maximum lifetime of a resume ticket.
    package static let longestResume = Duration.seconds(600)

    private static let signatureLength = 32

    private let key: SymmetricKey
    private let lifetime: Duration
    private let sessions: AuthSessions
    private let directory: BatchedDirectory
    private let ticketStore: any TicketStore
    private let resumeLifetime: Duration
    private let clock: WallClock
    private let logger: Logger

    /// - Parameters:
    ///   - lifetime: the lifetime of a one-time ticket.
    ///   - resumeLifetime: the lifetime of a resume ticket; at most `longestResume`.
    ///   - sessions: decides whether the session of a ticket is still valid.
    /// - Throws: `SettingError` if the secret is too short.
    package init(
        secret: Secret, lifetime: Duration = .seconds(30), resumeLifetime: Duration = Tickets.longestResume,
        sessions: AuthSessions, directory: BatchedDirectory, ticketStore: any TicketStore,
        clock: WallClock = .system, logger: Logger
    ) throws(SettingError) {
        try Self.check(secret)
        // A derived key, so that a ticket's signature is never valid for anything else signed with the secret.
        let purpose = HMAC<SHA256>.authenticationCode(
            for: Array("parley ticket".utf8), using: SymmetricKey(data: secret.bytes))
        key = SymmetricKey(data: Array(purpose))
        self.lifetime = lifetime
        self.sessions = sessions
        self.directory = directory
        self.ticketStore = ticketStore
        self.resumeLifetime = min(resumeLifetime, Self.longestResume)
        self.clock = clock
        self.logger = logger
    }

    /// - Throws: `SettingError` if the secret is too short.
    static func check(_ secret: Secret) throws(SettingError) {
        guard secret.bytes.count >= minimumSecretBytes else {
            throw SettingError(
                setting: "PARLEY_SECRET",
                explanation: "has \(secret.bytes.count) bytes; expected \(minimumSecretBytes) or more")
        }
    }

    /// The lifetime of a one-time ticket in whole seconds, for the client.
    package var lifetimeSeconds: Int { Int(lifetime.components.seconds) }

    /// A one-time ticket for `identity`.
    /// - Throws: `unauthorized` if the user is gone; `unavailable`. Reads the store only if the identity depends on a
    ///   credentials version that is not known yet.
    package func issue(for identity: Identity) async throws(AuthFailure) -> String {
        var identity = identity
        if identity.dependsOnVersion, identity.credentialsVersion == nil {
            guard let confirmed = identity.confirmed(by: try await snapshot(of: identity.user)) else {
                throw .unauthorized("the user no longer exists")
            }
            identity = confirmed
        }
        let ticket = Ticket(
            kind: .oneTime, expiry: clock.milliseconds + lifetime.milliseconds,
            nonce: RandomBytes.make(Ticket.Kind.oneTime.nonceLength), credentialExpiry: identity.expires,
            session: identity.session, credentialsVersion: identity.credentialsVersion, apiKey: identity.apiKey,
            user: identity.user)
        return signed(ticket)
    }

    /// A resume ticket for `identity`, for `hello` and `bye`. Takes some microseconds and no reads.
    package func issueResume(for identity: Identity) -> String {
        let now = clock.milliseconds
        let endsByItself = identity.expires != nil || identity.session != nil
        return signed(
            Ticket(
                kind: .resume, expiry: now + resumeLifetime.milliseconds, nonce: [],
                credentialExpiry: endsByItself ? identity.expires : now + Self.longestChain.milliseconds,
                session: identity.session, credentialsVersion: identity.credentialsVersion, apiKey: identity.apiKey,
                user: identity.user))
    }

    private func signed(_ ticket: Ticket) -> String {
        var bytes = ticket.bytes
        bytes += HMAC<SHA256>.authenticationCode(for: bytes, using: key)
        return Base64URL.encode(bytes)
    }

    /// The identity in a ticket with a valid signature that has not expired. `redeem` decides whether it is still
    /// valid.
    /// - Throws: `unauthorized`.
    package func read(_ text: String) throws(AuthFailure) -> Identity {
        identity(of: try unexpired(text))
    }

    /// The identity of a ticket. A one-time ticket is used up.
    /// - Parameter snapshot: the present state of its user, if already read.
    /// - Throws: `unauthorized` for a ticket that is forged, expired, used, or issued for something that is invalid;
    ///   `unavailable` if that cannot be determined.
    package func redeem(_ text: String, snapshot: UserSnapshot? = nil) async throws(AuthFailure) -> Identity {
        let ticket = try unexpired(text)
        let identity = identity(of: ticket)
        if let session = ticket.session {
            guard try await isAlive(session, of: ticket.user) else {
                throw .unauthorized("the session of the ticket has ended")
            }
        }
        if identity.dependsOnVersion {
            let current: UserSnapshot
            if let snapshot { current = snapshot } else { current = try await self.snapshot(of: ticket.user) }
            guard identity.confirmed(by: current) != nil else {
                throw .unauthorized("the credentials of the ticket are no longer valid")
            }
        }
        if let apiKey = ticket.apiKey, try await !isKnown(apiKey) {
            throw .unauthorized("the API key of the ticket was revoked")
        }
        if ticket.kind == .oneTime {
            let isFirst: Bool
            do throws(SharedStoreError) {
                isFirst = try await ticketStore.redeem(Base64URL.encode(ticket.nonce), until: ticket.expiry)
            } catch {
                throw .unavailable("the ticket cannot be checked at the moment; use another one")
            }
            guard isFirst else { throw .unauthorized("the ticket was used before") }
        }
        return identity
    }

    private func unexpired(_ text: String) throws(AuthFailure) -> Ticket {
        guard let ticket = verified(text) else { throw .unauthorized("the ticket is not valid") }
        let now = clock.milliseconds
        guard ticket.expiry > now, ticket.credentialExpiry.map({ $0 > now }) ?? true else {
            throw .unauthorized("the ticket has expired")
        }
        return ticket
    }

    private func identity(of ticket: Ticket) -> Identity {
        Identity(
            user: ticket.user,
            credential: .ticket(
                session: ticket.session, apiKey: ticket.apiKey, expires: ticket.credentialExpiry),
            credentialsVersion: ticket.credentialsVersion)
    }

    private func isAlive(_ session: TokenHash, of user: User) async throws(AuthFailure) -> Bool {
        do { return try await sessions.isAlive(session, of: user) } catch { throw AuthFailure(error, logger) }
    }

    private func isKnown(_ apiKey: TokenHash) async throws(AuthFailure) -> Bool {
        do { return try await directory.apiKey(apiKey) != nil } catch { throw AuthFailure(error, logger) }
    }

    private func snapshot(of user: User) async throws(AuthFailure) -> UserSnapshot {
        let snapshot: UserSnapshot?
        do { snapshot = try await directory.snapshot(of: user.id) } catch { throw AuthFailure(error, logger) }
        guard let snapshot else { throw .unauthorized("the user no longer exists") }
        return snapshot
    }

    private func verified(_ text: String) -> Ticket? {
        guard text.utf8.count <= Self.maximumLength, let bytes = Base64URL.decode(text),
            bytes.count > Self.signatureLength
        else { return nil }
        let content = bytes.dropLast(Self.signatureLength)
        let signature = bytes.suffix(Self.signatureLength)
        guard HMAC<SHA256>.isValidAuthenticationCode(Array(signature), authenticating: Array(content), using: key)
        else { return nil }
        return Ticket(bytes: content)
    }
}
