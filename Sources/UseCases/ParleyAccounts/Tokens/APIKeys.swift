package import ParleyModel

/// The configured API keys. Stored keys are looked up by the same hashes.
package struct APIKeys: Sendable {
    /// The prefix of every key.
    package static let prefix = "pk_"
    /// Maximum length of a name, in characters.
    package static let maximumNameLength = 64

    /// Whole records, so that all sockets of a key share its hash.
    private var records: [TokenHash: APIKeyRecord] = [:]

    /// No keys.
    package init() {}

    /// Parses `PARLEY_API_KEYS`: comma-separated `name:pk_…`, ignoring spaces around entries.
    /// - Throws: `SettingError` naming the entry by its position, never by the key.
    package init(parsing list: String) throws(SettingError) {
        for (index, part) in list.split(separator: ",", omittingEmptySubsequences: false).enumerated() {
            let entry = part.trimmingSpaces
            if entry.isEmpty { continue }
            func invalid(_ explanation: String) -> SettingError {
                SettingError(
                    setting: "PARLEY_API_KEYS",
                    explanation: "entry \(index + 1) \(explanation); expected comma-separated name:\(Self.prefix)…")
            }
            guard let colon = entry.firstIndex(of: ":") else { throw invalid("has no name and colon") }
            let name = String(entry[..<colon])
            let key = entry[entry.index(after: colon)...]
            guard Self.isName(name) else {
                throw invalid("has a name that is not 1 to \(Self.maximumNameLength) characters of A-Z a-z 0-9 . _ -")
            }
            guard key.hasPrefix(Self.prefix), key.utf8.count > Self.prefix.utf8.count else {
                throw invalid("(\(name)) has a key that is not \(Self.prefix) and more characters")
            }
            guard key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw invalid("(\(name)) has a key with a character that is not visible ASCII")
            }
            let hash = Self.hash(of: String(key))
            let isNameTaken = records.values.contains { $0.name == name }
            guard !isNameTaken else { throw invalid("(\(name)) repeats a name") }
            guard records[hash] == nil else { throw invalid("(\(name)) repeats a key") }
            records[hash] = APIKeyRecord(name: name, hash: hash, created: 0)
        }
    }

    /// The key with this hash; `nil` if unknown. Its timing can reveal something about the hash, but nothing about a
    /// key.
    package func key(_ hash: TokenHash) -> APIKeyRecord? {
        records[hash]
    }

    /// A new key of 256 random bits, and the hash to store.
    package static func make() -> (key: String, hash: TokenHash) {
        let key = prefix + Base64URL.encode(RandomBytes.make(32))
        return (key, hash(of: key))
    }

    /// The hash under which a key is stored.
    package static func hash(of key: String) -> TokenHash {
        SessionTokens.hash(of: key)
    }

    /// Whether a text is a valid key name.
    package static func isName(_ text: String) -> Bool {
        (1...maximumNameLength).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
