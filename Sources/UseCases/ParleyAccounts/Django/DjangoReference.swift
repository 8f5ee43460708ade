import Crypto
import ParleyJSON
import ParleyModel

/// The stored reference to a Django session, used to look it up again.
enum DjangoReference: Hashable {
    /// A row of `django_session`.
    case row(key: String)
    /// A session held in its cookie only: its user, the hash of their password, and its expiry in Unix milliseconds.
    case cookie(userKey: String, passwordMark: String, expires: Int64)
}

/// Turns references into `TokenHash`es and back.
///
/// The key of a row is as good as the cookie, and others can read tickets, so the reference is encrypted by AES-GCM
/// under a key derived from `PARLEY_SECRET`. The nonce is derived from the content: one session has the same token on
/// every node, and no nonce is used for two contents.
struct DjangoReferenceSeal: Sendable {
    private let key: SymmetricKey
    private let nonceKey: SymmetricKey

    init(secret: Secret) {
        func derived(_ purpose: String) -> SymmetricKey {
            SymmetricKey(
                data: Array(
                    HMAC<SHA256>.authenticationCode(
                        for: Array(purpose.utf8), using: SymmetricKey(data: secret.bytes))))
        }
        key = derived("parley django session")
        nonceKey = derived("parley django session nonce")
    }

    /// `nil` if the user's key is too long for tickets to name the session.
    func token(_ reference: DjangoReference) -> TokenHash? {
        let content = Array(reference.tree.canonical.utf8)
        let mac = HMAC<SHA256>.authenticationCode(for: content, using: nonceKey)
        guard let nonce = try? AES.GCM.Nonce(data: Array(mac.prefix(12))),
            let sealed = try? AES.GCM.seal(content, using: key, nonce: nonce).combined
        else { return nil }
        let text = TokenHash.foreignPrefix + Base64URL.encode(sealed)
        return text.utf8.count <= Ticket.maximumTextLength ? TokenHash(text) : nil
    }

    /// `nil` for a token not made by `token`.
    func reference(_ token: TokenHash) -> DjangoReference? {
        guard token.isForeign, let bytes = Base64URL.decode(token.text.dropFirst(TokenHash.foreignPrefix.count)),
            let box = try? AES.GCM.SealedBox(combined: bytes), let content = try? AES.GCM.open(box, using: key),
            let tree = try? JSONTree(parsing: content)
        else { return nil }
        return DjangoReference(tree)
    }
}

extension DjangoReference {
    fileprivate var tree: JSONTree {
        switch self {
        case .row(let key): .text(key)
        case .cookie(let userKey, let passwordMark, let expires):
            .array([.text(userKey), .text(passwordMark), .integer(expires)])
        }
    }

    fileprivate init?(_ tree: JSONTree) {
        if let key = tree.text {
            self = .row(key: key)
        } else if let parts = tree.elements, parts.count == 3, let userKey = parts[0].text,
            let passwordMark = parts[1].text, let expires = parts[2].integer
        {
            self = .cookie(userKey: userKey, passwordMark: passwordMark, expires: expires)
        } else {
            return nil
        }
    }
}
