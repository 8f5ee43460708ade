import Crypto
package import Logging
package import ParleyModel

/// Issues and redeems tickets: a short-lived word for a socket that can carry neither header nor cookie.
///
/// A ticket is base64url of its bytes (`Ticket`) and their HMAC-SHA256 under a key derived from `PARLEY_SECRET`; every
/// node with the same secret can read it. It counts until its expiry, a **one-time ticket** once, a **resume ticket** as
/// often as a client must reconnect; and as long as what it was made with: the session lives, or else the user's credentials
/// version is the same and the API key is there. That is read from the store each time a ticket is redeemed, many at once.
package struct Tickets: Sendable {
    /// The shortest `PARLEY_SECRET`, in bytes.
    package static let minimumSecretBytes = 32
    /// The longest ticket read, in characters.
    package static let maximumLength = 2048

    /// How long a credential that neither ends by itself nor has a session can be prolonged by resume tickets: a chain
    /// of them must not outlive a changed password for ever.
    package static let longestChain = Duration.seconds(24 * 60 * 60)
    /// How long a resume ticket can be used at most.
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
    ///   - lifetime: how long a one-time ticket can be redeemed.
    ///   - resumeLifetime: how long a resume ticket can; at most `longestResume`.
    ///   - sessions: who knows whether the session of a ticket still counts.
    /// - Throws: `SettingError` if the secret is too short.
    package init(
        secret: Secret, lifetime: Duration = .seconds(30), resumeLifetime: Duration = Tickets.longestResume,
        sessions: AuthSessions, directory: BatchedDirectory, ticketStore: any TicketStore,
        clock: WallClock = .system, logger: Logger
    ) throws(SettingError) {
        guard secret.bytes.count >= Self.minimumSecretBytes else {
            throw SettingError(
                setting: "PARLEY_SECRET",
                explanation: "has \(secret.bytes.count) bytes; allowed are \(Self.minimumSecretBytes) or more")
        }
        // A key of its own, so that what is signed here can never pass for something else signed with the secret.
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

    /// How long a ticket can be redeemed, in whole seconds, for the client.
    package var lifetimeSeconds: Int { Int(lifetime.components.seconds) }

    /// A one-time ticket that stands for `identity`.
    /// - Throws: `unauthorized` if the user is gone; `unavailable`. Only if the identity hangs on the
    ///   credentials version and that is not known, which is read then.
    package func issue(for identity: Identity) async throws(AuthFailure) -> String {
        var identity = identity
        if identity.hangsOnVersion, identity.credentialsVersion == nil {
            guard let confirmed = identity.confirmed(by: try await snapshot(of: identity.user)) else {
                throw .unauthorized("the user is gone")
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

    /// A resume ticket that stands for `identity`, for `hello` and `bye`. Costs some microseconds and asks nobody.
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

    /// The identity that a ticket claims to stand for: it is signed and not over. Whether it still counts is for `redeem`.
    /// - Throws: `unauthorized`.
    package func read(_ text: String) throws(AuthFailure) -> Identity {
        try identity(of: try unexpired(text))
    }

    /// The identity a ticket stands for. Uses a one-time ticket up.
    /// - Parameter snapshot: how its user stands, if that has been read just now.
    /// - Throws: `unauthorized` for a ticket that is forged, over, used, or made with what is void; `unavailable` if that
    ///   cannot be found out (the ticket is not used up then).
    package func redeem(_ text: String, snapshot: UserSnapshot? = nil) async throws(AuthFailure) -> Identity {
        let ticket = try unexpired(text)
        let identity = try identity(of: ticket)
        if let session = ticket.session {
            guard try await isAlive(session, of: ticket.user) else {
                throw .unauthorized("the session of the ticket is over")
            }
        }
        if identity.hangsOnVersion {
            let current: UserSnapshot
            if let snapshot { current = snapshot } else { current = try await self.snapshot(of: ticket.user) }
            guard identity.confirmed(by: current) != nil else {
                throw .unauthorized("the credentials of the ticket are void")
            }
        }
        if let apiKey = ticket.apiKey, try await !isKnown(apiKey) {
            throw .unauthorized("the API key of the ticket is gone")
        }
        if ticket.kind == .oneTime {
            guard await ticketStore.redeem(Base64URL.encode(ticket.nonce), until: ticket.expiry) else {
                throw .unauthorized("the ticket was used before")
            }
        }
        return identity
    }

    private func unexpired(_ text: String) throws(AuthFailure) -> Ticket {
        guard let ticket = verified(text) else { throw .unauthorized("the ticket is not valid") }
        let now = clock.milliseconds
        guard ticket.expiry > now, ticket.credentialExpiry.map({ $0 > now }) ?? true else {
            throw .unauthorized("the ticket is over")
        }
        return ticket
    }

    private func identity(of ticket: Ticket) throws(AuthFailure) -> Identity {
        // A node of an earlier version made it, and it does not say by what it can be checked.
        if !ticket.canBeChecked {
            throw .unauthorized("the ticket is of an earlier version; use the credentials it was made with")
        }
        return Identity(
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
        guard let snapshot else { throw .unauthorized("the user is gone") }
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

extension Duration {
    /// In whole milliseconds, rounded down.
    var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
