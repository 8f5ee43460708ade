import ParleyModel

/// The content of a ticket; its bytes are signed by `Tickets`.
///
/// Layout, integers big-endian: layout (1 byte), expiry in ms (8), nonce (`Kind.nonceLength`), expiry of the credential
/// in ms (8; `Int64.max`: none), credentials version (8), then session hash, API key hash and user id, each preceded by
/// its length (1 byte; 0: none), and the name up to the end. Layout 3 is a one-time ticket, 4 a resume ticket. Layouts
/// 1 and 2 are the same without version and API key: tickets that depend on a session of Parley's own only.
package struct Ticket: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
        case oneTime = 1
        /// Valid repeatedly until its expiry.
        case resume = 2

        /// A one-time ticket needs an id under which its use is recorded.
        var nonceLength: Int { self == .oneTime ? 16 : 0 }
    }

    /// The number of kinds: layouts with a credentials version follow the layouts with a session.
    private static let kinds: UInt8 = 2
    /// Maximum length of a session or id in a ticket, in bytes.
    static let maximumTextLength = 255

    var kind: Kind
    /// Unix milliseconds, from which on the ticket is invalid.
    var expiry: Int64
    var nonce: [UInt8]
    /// The expiry of the credential that the ticket was issued for.
    var credentialExpiry: Int64?
    /// The session that the ticket was issued for; the ticket is invalid if the session is.
    var session: TokenHash?
    /// The user's credentials version when the ticket was issued; the ticket is invalid once it rises. Absent if the
    /// ticket depends on a session of Parley's own, which ends with the version.
    var credentialsVersion: Int64?
    /// The stored API key that the ticket was issued for; the ticket is invalid once the key is deleted.
    var apiKey: TokenHash?
    var user: User

    init(
        kind: Kind, expiry: Int64, nonce: [UInt8], credentialExpiry: Int64?, session: TokenHash?,
        credentialsVersion: Int64?, apiKey: TokenHash?, user: User
    ) {
        self.kind = kind
        self.expiry = expiry
        self.nonce = nonce
        self.credentialExpiry = credentialExpiry
        self.session = session
        self.credentialsVersion = credentialsVersion
        self.apiKey = apiKey
        self.user = user
    }

    /// Whether the ticket names something by which its validity can be checked.
    private var canBeChecked: Bool {
        if let session, !session.isForeign { return true }
        return credentialsVersion != nil
    }

    /// `nil` for an unknown layout, truncated bytes, or a ticket that cannot be checked.
    package init?(bytes: some Sequence<UInt8>) {
        var rest = ArraySlice(Array(bytes))
        guard let layout = rest.popFirst(), (1...4).contains(layout),
            let kind = Kind(rawValue: (layout - 1) % Self.kinds + 1), let expiry = rest.takeInt64(),
            let nonce = rest.take(kind.nonceLength), let credentialExpiry = rest.takeInt64(),
            let version = layout > Self.kinds ? rest.takeInt64().map(Optional.some) : .some(nil),
            let session = rest.takeText(), let apiKey = layout > Self.kinds ? rest.takeText() : "",
            let id = rest.takeText().flatMap({ UserID($0) }), let name = String(validating: rest, as: UTF8.self)
        else { return nil }
        self.kind = kind
        self.expiry = expiry
        self.nonce = nonce
        self.credentialExpiry = credentialExpiry == .max ? nil : credentialExpiry
        self.session = session.isEmpty ? nil : TokenHash(session)
        credentialsVersion = version
        self.apiKey = apiKey.isEmpty ? nil : TokenHash(apiKey)
        user = User(id: id, name: name)
        guard canBeChecked else { return nil }
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = [credentialsVersion == nil ? kind.rawValue : kind.rawValue + Self.kinds]
        bytes.append(bigEndian: expiry)
        bytes += nonce
        bytes.append(bigEndian: credentialExpiry ?? .max)
        if let credentialsVersion { bytes.append(bigEndian: credentialsVersion) }
        bytes.append(lengthAndText: session?.text ?? "")
        if credentialsVersion != nil { bytes.append(lengthAndText: apiKey?.text ?? "") }
        bytes.append(lengthAndText: user.id.text)
        bytes += user.name.utf8
        return bytes
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian value: Int64) {
        for shift in stride(from: 56, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> Int64(shift)))
        }
    }

    /// Ids and hashes are shorter than 256 bytes; a longer text is truncated and then matches nothing.
    fileprivate mutating func append(lengthAndText text: String) {
        let bytes = text.utf8.prefix(Ticket.maximumTextLength)
        append(UInt8(bytes.count))
        self += bytes
    }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func take(_ count: Int) -> [UInt8]? {
        guard self.count >= count else { return nil }
        defer { removeFirst(count) }
        return Array(prefix(count))
    }

    fileprivate mutating func takeInt64() -> Int64? {
        take(8)?.reduce(0) { $0 << 8 | Int64($1) }
    }

    fileprivate mutating func takeText() -> String? {
        popFirst().flatMap { take(Int($0)) }.flatMap { String(validating: $0, as: UTF8.self) }
    }
}
