import ParleyModel

/// What a ticket says; its bytes are signed by `Tickets`.
///
/// Layout, integers big-endian: layout (1 byte), expiry in ms (8), nonce (`Kind.nonceLength`), expiry of the credential
/// in ms (8; `Int64.max`: none), credentials version (8), session hash, hash of the API key, user id, each of the three
/// after a byte with its length (0: none), the name to the end. Layout 3 is a one-time ticket, 4 a resume ticket. Layouts 1
/// and 2 are the same without version and API key: tickets that hang on a session of Parley's own alone, as earlier
/// versions wrote all.
struct Ticket: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
        case oneTime = 1
        /// Counts again and again until its expiry.
        case resume = 2

        /// What counts once needs a name to be remembered by.
        var nonceLength: Int { self == .oneTime ? 16 : 0 }
    }

    /// How many kinds there are: the layouts with a credentials version are numbered behind those with a session.
    private static let kinds: UInt8 = 2
    /// The longest session or id that a ticket can name, in bytes.
    static let maximumTextLength = 255

    var kind: Kind
    /// Unix milliseconds; from then on the ticket is void.
    var expiry: Int64
    var nonce: [UInt8]
    /// When the credential that the ticket was made with ends.
    var credentialExpiry: Int64?
    /// The session that the ticket was made with: void when that is.
    var session: TokenHash?
    /// The user's credentials version when the ticket was made: void when it has risen. Only if the ticket hangs on no
    /// session of Parley's own, which ends with the version.
    var credentialsVersion: Int64?
    /// The stored API key that the ticket was made with: void when that is deleted.
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

    /// Whether it says by what it can be found out that it is void. Earlier versions made others.
    var canBeChecked: Bool {
        if let session, !session.isForeign { return true }
        return credentialsVersion != nil
    }

    /// `nil` for an unknown kind or bytes that end too soon.
    init?(bytes: some Sequence<UInt8>) {
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
    }

    var bytes: [UInt8] {
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

    /// Ids and hashes are shorter than 256 bytes; what is not is cut, and then names nothing.
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
