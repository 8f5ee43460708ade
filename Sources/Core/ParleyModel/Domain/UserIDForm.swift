/// The texts that always are ids of users at this site and never names (`PARLEY_USERS_ID_FORM`).
///
/// Back ends choose their ids, and strangers choose their names. A text of this form therefore never refers to a user by name,
/// whether or not a user with that id exists yet.
package struct UserIDForm: Hashable, Sendable {
    private enum Pattern: Hashable {
        /// Decimal digits only, like a serial primary key.
        case digits
        /// 32 hex digits in either case, with the hyphens of RFC 9562 or without hyphens.
        case uuid
        /// A text that begins with this prefix.
        case prefix(String)
    }

    private var patterns: Set<Pattern>

    /// Digits, and UUIDs, which include the ids made by Parley.
    package static let standard = UserIDForm([.digits, .uuid])

    /// The syntax of a list, in the words of error messages for operators.
    package static let allowed = "comma-separated digits, uuid, or the beginning of an id and *; or none"

    private init(_ patterns: Set<Pattern>) {
        self.patterns = patterns
    }

    /// Parses a comma-separated list of `digits`, `uuid` and `PREFIX*`, or `none`. Returns `nil` for anything else.
    package init?(_ list: String) {
        patterns = []
        let entries = list.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
        if entries == ["none"] { return }
        for entry in entries {
            switch entry {
            case "digits": patterns.insert(.digits)
            case "uuid": patterns.insert(.uuid)
            case "*": patterns.insert(.prefix(""))
            default:
                guard entry.hasSuffix("*"), let prefix = UserID(String(entry.dropLast())) else { return nil }
                patterns.insert(.prefix(prefix.text))
            }
        }
    }

    /// Whether a text is always an id.
    package func contains(_ text: String) -> Bool {
        patterns.contains { pattern in
            switch pattern {
            case .digits: !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
            case .uuid: Self.isUUID(text)
            case .prefix(let prefix): UserID(text) != nil && text.utf8.starts(with: prefix.utf8)
            }
        }
    }

    private static func isUUID(_ text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.count == 32 || bytes.count == 36 else { return false }
        let hyphens: Set = bytes.count == 32 ? [] : [8, 13, 18, 23]
        return bytes.enumerated().allSatisfy { place, byte in
            hyphens.contains(place) ? byte == UInt8(ascii: "-") : Character(Unicode.Scalar(byte)).isHexDigit
        }
    }
}
