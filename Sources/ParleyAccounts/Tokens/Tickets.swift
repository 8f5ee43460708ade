import Crypto
package import Logging
package import ParleyModel

/// Issues and redeems tickets: a short-lived word for a socket that can carry neither header nor cookie.
///
/// A ticket is base64url of its bytes (`Ticket`) and their HMAC-SHA256 under a key derived from `PARLEY_SECRET`; every
/// node with the same secret can read it. It counts until its expiry, and as long as the session lives that it was made
/// with. There are two kinds:
///
/// - a **one-time ticket** counts once; its session is looked up by its verifier.
/// - a **resume ticket** counts as often as a client must reconnect. Its session is looked up in the
///   `RevocationLedger`, so that a storm of reconnects reads no database; by its verifier only if the ledger is away, or
///   if the session is another system's, of whose end no ledger hears.
package struct Tickets: Sendable {
    /// The shortest `PARLEY_SECRET`, in bytes.
    package static let minimumSecretBytes = 32
    /// The longest ticket read, in characters.
    package static let maximumLength = 2048

    /// How long a credential that neither ends by itself nor has a session can be prolonged by resume tickets: a chain
    /// of them must not outlive a changed password for ever.
    package static let longestChain = Duration.seconds(24 * 60 * 60)

    private static let signatureLength = 32

    private let key: SymmetricKey
    private let lifetime: Duration
    private let sessions: Sessions
    private let directory: BatchedDirectory
    private let ledger: any TicketLedger
    private let resumeLifetime: Duration
    private let revocations: (any RevocationLedger)?
    private let clock: WallClock
    private let logger: Logger

    /// - Parameters:
    ///   - lifetime: how long a one-time ticket can be redeemed.
    ///   - resumeLifetime: how long a resume ticket can; at most `Revocation.ticketLifetime`.
    ///   - sessions: who knows whether the session of a ticket still counts.
    ///   - revocations: what resume tickets are checked against; `nil`: always `sessions`.
    /// - Throws: `SettingFlaw` if the secret is too short.
    package init(
        secret: Secret, lifetime: Duration = .seconds(30), resumeLifetime: Duration = Revocation.ticketLifetime,
        sessions: Sessions, directory: BatchedDirectory, ledger: any TicketLedger,
        revocations: (any RevocationLedger)? = nil,
        clock: WallClock = .system, logger: Logger
    ) throws(SettingFlaw) {
        guard secret.bytes.count >= Self.minimumSecretBytes else {
            throw SettingFlaw(
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
        self.ledger = ledger
        self.resumeLifetime = min(resumeLifetime, Revocation.ticketLifetime)
        self.revocations = revocations
        self.clock = clock
        self.logger = logger
    }

    /// How long a ticket can be redeemed, in whole seconds, for the client.
    package var lifetimeSeconds: Int { Int(lifetime.components.seconds) }

    /// A one-time ticket that stands for `identity`.
    package func issue(for identity: Identity) -> String {
        let ticket = Ticket(
            kind: .oneTime, expiry: clock.milliseconds + lifetime.milliseconds,
            nonce: RandomBytes.make(Ticket.Kind.oneTime.nonceLength), credentialExpiry: identity.expires,
            session: identity.session, user: identity.user)
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
                session: identity.session, user: identity.user))
    }

    private func signed(_ ticket: Ticket) -> String {
        var bytes = ticket.bytes
        bytes += HMAC<SHA256>.authenticationCode(for: bytes, using: key)
        return Base64URL.encode(bytes)
    }

    /// The identity a ticket stands for. Uses a one-time ticket up.
    /// - Throws: `unauthorized` for a ticket that is forged, over, used, or whose session is over; `unavailable` if
    ///   that cannot be found out (the ticket is not used up then).
    package func redeem(_ text: String) async throws(AuthFailure) -> Identity {
        guard let ticket = verified(text) else { throw .unauthorized("the ticket is not valid") }
        let now = clock.milliseconds
        guard ticket.expiry > now, ticket.credentialExpiry.map({ $0 > now }) ?? true else {
            throw .unauthorized("the ticket is over")
        }
        switch ticket.kind {
        case .oneTime:
            if ticket.session != nil { try await lookUp(ticket.session, of: ticket.user) }
            guard await ledger.redeem(Base64URL.encode(ticket.nonce), until: ticket.expiry) else {
                throw .unauthorized("the ticket was used before")
            }
        case .resume:
            try await checkRevocation(of: ticket.session, ticket.user)
        }
        return Identity(
            user: ticket.user, credential: .ticket(session: ticket.session, expires: ticket.credentialExpiry))
    }

    /// Checks again what a ticket was redeemed for, now that the caller hears of revocations: one that came between
    /// `redeem` and the subscription is found here. Nothing to check for other credentials.
    /// - Throws: as `redeem`.
    package func recheck(_ identity: Identity) async throws(AuthFailure) {
        guard case .ticket(let session, _) = identity.credential else { return }
        try await checkRevocation(of: session, identity.user)
    }

    private func checkRevocation(of session: TokenHash?, _ user: User) async throws(AuthFailure) {
        guard let revocations else { return try await lookUp(session, of: user) }
        let isRevoked: Bool
        do throws(LedgerError) {
            isRevoked = try await revocations.isRevoked([.user(user.id)] + (session.map { [.session($0)] } ?? []))
        } catch {
            // Never accepted unchecked: the store knows too.
            return try await lookUp(session, of: user)
        }
        guard !isRevoked else { throw .unauthorized("the session of the ticket is over") }
        // No ledger hears of the end of another system's session.
        if session?.isForeign == true { try await lookUp(session, of: user) }
    }

    /// That a ticket's session still counts, or, if it has none, that the store knows the user.
    private func lookUp(_ session: TokenHash?, of user: User) async throws(AuthFailure) {
        let isGood: Bool
        do {
            if let session {
                isGood = try await sessions.isAlive(session, of: user)
            } else {
                // Who was erased has another name, if any.
                isGood = try await directory.user(user.id, fresh: true)?.name == user.name
            }
        } catch {
            throw AuthFailure(error, logger)
        }
        guard isGood else {
            throw .unauthorized(
                session == nil ? "the user of the ticket is gone" : "the session of the ticket is over")
        }
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
