import Crypto
import ParleyModel

/// Maps an identity at a provider, the pair of issuer and `sub`, to its user, created at first contact.
///
/// The id is `oidc.` and the SHA-256 of the pair. A name alone never makes anybody a user: at the provider a stranger may
/// have the name that somebody has here. So a new user gets the provider's name only if sign-up would allow it, and
/// otherwise one with a suffix. A later change of name at the provider changes nothing here.
struct OIDCUsers: Sendable {
    /// The name of users whom the provider names in no usable way, before the suffix.
    private static let anonymous = "user"
    private static let suffixLength = 8

    let issuer: String
    let login: Login
    let directory: BatchedDirectory
    let firstContact: FirstContact

    /// The id of the user with this `sub`.
    func id(of subject: String) -> UserID { UserID(trusted: "oidc." + digest(of: subject)) }

    func existing(_ subject: String) async throws(StoreError) -> User? {
        try await directory.user(id(of: subject), fresh: true)
    }

    /// Creates the user.
    /// - Parameter name: what the provider calls the user.
    /// - Returns: `nil` if there can be none: an operator has erased the user.
    func create(_ subject: String, named name: String?) async throws(StoreError) -> User? {
        let id = id(of: subject)
        var candidates: [User] = []
        for name in names(subject, name) where try await isFree(name) { candidates.append(User(id: id, name: name)) }
        return try await firstContact.create(candidates) { () throws(StoreError) in
            try await directory.account(id, fresh: true)
        }?.user
    }

    /// Candidate names, in order of preference; the last ones are practically unique.
    func names(_ subject: String, _ name: String?) -> [String] {
        let digest = digest(of: subject)
        let suffix = digest.prefix(Self.suffixLength)
        let chosen = name.flatMap { UsernameRules.chosen($0) }.flatMap { directory.isAlwaysID($0) ? nil : $0 }
        let longest = UsernameRules.maximumScalars - 1 - suffix.utf8.count
        let base = String(String.UnicodeScalarView((chosen ?? Self.anonymous).unicodeScalars.prefix(longest)))
        return [chosen, "\(base)-\(suffix)", "\(Self.anonymous)-\(digest)"].compactMap(\.self)
    }

    /// Whether no user has the name, or one that people would take for it.
    private func isFree(_ name: String) async throws(StoreError) -> Bool {
        let look = NameLook(of: name)
        guard !login.isReserved(name, look) else { return false }
        return try await !directory.isTaken(look)
    }

    private func digest(of subject: String) -> String {
        // The length divides the two parts: no other pair has the same text.
        Hex.encode(SHA256.hash(data: Array("\(issuer.utf8.count):\(issuer)\(subject)".utf8)))
    }
}
