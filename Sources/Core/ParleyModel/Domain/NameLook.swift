/// The form by which usernames are compared besides their exact text, so that no user chooses a name that looks like
/// another's.
///
/// It is made by `NameLook(of:)` of ParleyAccounts; databases keep it with each user.
package struct NameLook: Hashable, Sendable {
    /// One or two keys of 32 characters, without duplicates. Names that share one look alike.
    package let keys: [String]
    /// The name in lower case, if it consists of ASCII characters. Two such names are compared by it alone: `modern` and
    /// `modem` are two names that people tell apart.
    package let plain: String?

    /// Makes the look of a name.
    package typealias Rule = @Sendable (String) -> NameLook

    /// - Parameter shapes: the forms of the name that stand for all names that look the same; the first two count.
    package init(shapes: [String], plain: String?) {
        var keys: [String] = []
        for key in shapes.prefix(2).map({ FNV1a128.hex(of: $0) }) where !keys.contains(key) { keys.append(key) }
        self.keys = keys
        self.plain = plain
    }

    /// Whether people would take one name for the other.
    package func isTaken(for other: NameLook) -> Bool {
        if let plain, let otherPlain = other.plain { return plain == otherPlain }
        return keys.contains { other.keys.contains($0) }
    }

    /// A rule that knows nothing of other scripts: names differ unless only in the case of ASCII letters. For stores of
    /// tests and of commands that create no user.
    package static let byCase: Rule = { name in
        let isPlain = name.utf8.allSatisfy { $0 < 0x80 }
        return NameLook(shapes: [name.lowercased()], plain: isPlain ? name.lowercased() : nil)
    }
}
