import ParleyModel

/// What a ticket says; its bytes are signed by `Tickets`.
///
/// Layout, integers big-endian: kind (1 byte), expiry in ms (8), nonce (`Kind.nonceLength`), expiry of the credential
/// in ms (8; `Int64.max`: none), session hash, user id, each after a byte with its length (0: no session), the name to
/// the end.
struct Ticket: Hashable, Sendable {
    /// The first byte; another kind or another layout gets another number.
    enum Kind: UInt8, Sendable {
        case oneTime = 1
        /// Counts again and again until its expiry.
        case resume = 2

        /// What counts once needs a name to be remembered by.
        var nonceLength: Int { self == .oneTime ? 16 : 0 }
    }

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
    var user: User

    init(
        kind: Kind, expiry: Int64, nonce: [UInt8], credentialExpiry: Int64?, session: TokenHash?, user: User
    ) {
        self.kind = kind
        self.expiry = expiry
        self.nonce = nonce
        self.credentialExpiry = credentialExpiry
        self.session = session
        self.user = user
    }

    /// `nil` for an unknown kind or bytes that end too soon.
    init?(bytes: some Sequence<UInt8>) {
        var rest = ArraySlice(Array(bytes))
        guard let kind = rest.popFirst().flatMap(Kind.init(rawValue:)), let expiry = rest.takeInt64(),
            let nonce = rest.take(kind.nonceLength), let credentialExpiry = rest.takeInt64(),
            let session = rest.takeText(), let id = rest.takeText().flatMap({ UserID($0) }),
            let name = String(validating: rest, as: UTF8.self)
        else { return nil }
        self.kind = kind
        self.expiry = expiry
        self.nonce = nonce
        self.credentialExpiry = credentialExpiry == .max ? nil : credentialExpiry
        self.session = session.isEmpty ? nil : TokenHash(session)
        user = User(id: id, name: name)
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = [kind.rawValue]
        bytes.append(bigEndian: expiry)
        bytes += nonce
        bytes.append(bigEndian: credentialExpiry ?? .max)
        bytes.append(lengthAndText: session?.text ?? "")
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
