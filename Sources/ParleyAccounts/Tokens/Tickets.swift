import Crypto
package import Logging
package import ParleyModel

/// Issues and redeems tickets: a short-lived word for a socket that can carry neither header nor cookie.
///
/// A ticket is base64url of its bytes (`Ticket`) and their HMAC-SHA256 under a key derived from `PARLEY_SECRET`; every
/// node with the same secret can read it. It counts once, until its expiry, and as long as the session lives that it
/// was made with.
package struct Tickets: Sendable {
    /// The shortest `PARLEY_SECRET`, in bytes.
    package static let minimumSecretBytes = 32
    /// The longest ticket read, in characters.
    package static let maximumLength = 2048

    private static let signatureLength = 32

    private let key: SymmetricKey
    private let lifetime: Duration
    private let directory: BatchedDirectory
    private let ledger: any TicketLedger
    private let clock: WallClock
    private let logger: Logger

    /// - Parameter lifetime: how long a ticket can be redeemed.
    /// - Throws: `SettingFlaw` if the secret is too short.
    package init(
        secret: Secret, lifetime: Duration = .seconds(30), directory: BatchedDirectory, ledger: any TicketLedger,
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
        self.directory = directory
        self.ledger = ledger
        self.clock = clock
        self.logger = logger
    }

    /// How long a ticket can be redeemed, in whole seconds, for the client.
    package var lifetimeSeconds: Int { Int(lifetime.components.seconds) }

    /// A one-time ticket that stands for `identity`.
    package func issue(for identity: Identity) -> String {
        let ticket = Ticket(
            kind: .oneTime, expiry: clock.milliseconds + lifetime.milliseconds,
            nonce: RandomBytes.make(Ticket.nonceLength), credentialExpiry: identity.expires,
            session: identity.session, user: identity.user)
        let bytes = ticket.bytes
        return Base64URL.encode(bytes + Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key)))
    }

    /// The identity a ticket stands for. Uses it up.
    /// - Throws: `unauthorized` for a ticket that is forged, over, used, or whose session is; `unavailable` if the
    ///   session cannot be looked up (the ticket is not used up then).
    package func redeem(_ text: String) async throws(AuthFailure) -> Identity {
        guard let ticket = verified(text) else { throw .unauthorized("the ticket is not valid") }
        let now = clock.milliseconds
        guard ticket.expiry > now, ticket.credentialExpiry.map({ $0 > now }) ?? true else {
            throw .unauthorized("the ticket is over")
        }
        if let hash = ticket.session {
            let session: AuthSession?
            do {
                session = try await directory.session(hash, fresh: true)
            } catch {
                throw AuthFailure(error, logger)
            }
            guard let session, session.expires > now, session.user.id == ticket.user.id else {
                throw .unauthorized("the session of the ticket is over")
            }
        }
        guard await ledger.redeem(Base64URL.encode(ticket.nonce), until: ticket.expiry) else {
            throw .unauthorized("the ticket was used before")
        }
        return Identity(
            user: ticket.user, credential: .ticket(session: ticket.session, expires: ticket.credentialExpiry))
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
