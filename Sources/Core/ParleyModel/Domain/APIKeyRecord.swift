/// A stored API key of a back end, without the secret. Only the back end has the key itself.
package struct APIKeyRecord: Hashable, Sendable {
    /// Unique among stored keys.
    package let name: String
    /// SHA-256 of the key.
    package let hash: TokenHash
    /// The creation time in Unix milliseconds.
    package let created: Int64

    package init(name: String, hash: TokenHash, created: Int64) {
        self.name = name
        self.hash = hash
        self.created = created
    }
}
